function worst = pfem_self_test (folder)
% WORST = PFEM_SELF_TEST (FOLDER)  Largest difference of the stored self-test relative to the largest height, by
% strategy (step by step, span by span); an error where it exceeds the tolerance.
if nargin < 1, folder = fileparts (mfilename ('fullpath')); end
b = load_bundle (folder);
worst = [0 0];
for strategy = 0:1
  how = struct ('strategy', strategy, 'delay', b.self_test_delay, 'relaxation', b.self_test_relaxation, ...
                'ramp_steps', b.self_test_ramp, 'harmonics', b.self_test_harmonics, ...
                'dropper_harmonics', b.self_test_dropper_kept);
  s = pfem_start (b, how);
  wanted = b.self_test_height(strategy + 1, :);
  found = zeros (size (wanted));
  for i = 1:numel (wanted), [found(i), s] = pfem_step (s, b.self_test_force(i)); end
  worst(strategy + 1) = max (abs (found - wanted)) / max (abs (wanted));
end
if ~all (worst <= b.self_test_tolerance)
  error ('pfem_self_test: FAILED, largest relative differences %.3e and %.3e where %.0e is allowed', worst, b.self_test_tolerance);
end
fprintf ('self-test passed: largest relative differences %.3e step by step, %.3e span by span\n', worst);
if nargout == 0, clear worst; end
end
