function b = load_bundle (folder)
% B = LOAD_BUNDLE (FOLDER)  Matrices of a rig bundle, checked. GNU Octave and MATLAB, no toolbox.
%
% Indices run from 1 here and from 0 in the README: I_cd(n + 1, d + 1, k + 1). No array is transposed.
% Then:   s = pfem_start (b, struct ('strategy', 1, 'delay', 8, 'relaxation', 0.1, 'ramp_steps', 20000, ...
%                                    'harmonics', 25, 'dropper_harmonics', 90));
%         [height, s] = pfem_step (s, force);
if nargin < 1, folder = fileparts (mfilename ('fullpath')); end
file = fullfile (folder, 'pfem.mat');
if ~exist (file, 'file'), error ('load_bundle: %s is missing', file); end
b = load (file);
names = {'schema_version', 'probe', 'z0', 'I_cc', 'I_cd', 'I_dc', 'K_dd', 'dropper_force', 'dropper_stiffness', ...
         'N', 'M', 'dropper_offset', 'speed', 'dt', 'span', 'self_test_force', 'self_test_height'};
for i = 1:numel (names)
  if ~isfield (b, names{i}), error ('load_bundle: %s holds no %s; it is not a rig bundle of this version', file, names{i}); end
end
if b.schema_version ~= @SCHEMA@
  error ('load_bundle: schema version %d was expected, %s has %d', @SCHEMA@, file, b.schema_version);
end
% a matrix that is not symmetric: 10 times the row and the column, three dimensions alike
if ~isequal (b.probe, [11 12 13; 21 22 23]) || ~isequal (size (b.probe_3d), [2 3 4])
  error ('load_bundle: the probe came out transposed; this reader does not keep the index order');
end
[i, j, k] = ndgrid (1:2, 1:3, 1:4);
if ~isequal (b.probe_3d, 100 * i + 10 * j + k), error ('load_bundle: the probe of three dimensions came out wrong'); end
N = b.N; M = b.M; D = numel (b.dropper_force);
expected = {'z0', [N 1]; 'I_cc', [N N]; 'I_cd', [N D M]; 'I_dc', [D M N]; 'K_dd', [D D 2*M-1]; 'dropper_force', [D 1]};
for i = 1:size (expected, 1)
  value = b.(expected{i, 1});
  if ~isequal (size (value), expected{i, 2}), error ('load_bundle: %s has the wrong size', expected{i, 1}); end
  if ~all (isfinite (value(:))), error ('load_bundle: %s holds numbers that are not finite', expected{i, 1}); end
end
if abs (b.N * b.dt * b.speed / b.span - 1) > 1e-9
  error ('load_bundle: %d steps of %g s at %g m/s do not make a span of %g m', b.N, b.dt, b.speed, b.span);
end
end
