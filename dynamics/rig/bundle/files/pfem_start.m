function s = pfem_start (b, how)
% S = PFEM_START (B, HOW)  State of a test that begins at a support, without force.
%
% HOW has strategy (0 step by step, 1 span by span), delay (steps from a force's measurement to the position that
% answers it, at least 1), relaxation, ramp_steps, harmonics (of the height, 0: all) and dropper_harmonics (of the
% elongation that contact forces cause, 0: all).
if ~(how.strategy == 0 || how.strategy == 1) || how.delay < 1 || how.delay > b.N || how.ramp_steps < 0 ...
   || how.relaxation <= 0 || how.relaxation > 1 || how.harmonics < 0 || how.harmonics > floor (b.N / 2) + 1 ...
   || how.dropper_harmonics < 0 || how.dropper_harmonics > floor (b.N / 2) + 1
  error ('pfem_start: strategy 0 or 1, delay 1 to N, relaxation above 0 to 1, ramp_steps from 0, both harmonics 0 to N/2+1');
end
s = how;
s.N = b.N; s.M = b.M; s.offset = b.dropper_offset; s.F = b.dropper_force; s.kd = b.dropper_stiffness;
s.z0 = keep (b.z0, how.harmonics);
s.I_cc = keep (b.I_cc, how.harmonics);
s.I_cd = keep (b.I_cd, how.harmonics);
s.I_dc = permute (keep_band (b.I_dc, b, how.dropper_harmonics), [3 1 2]);   % step first, so that one sample is one column
s.K_dd = b.K_dd;
s.f = zeros (b.N, 1);
s.f_d = zeros (numel (s.F), b.M);
s.z = s.z0; s.fresh = s.z0; s.before = s.z0; s.last = s.z0;
s.k = 0;
end

function x = keep (x, harmonics)
if harmonics > 0
  n = size (x, 1);
  t = fft (x);
  t(harmonics + 1 : n - harmonics + 1, :) = 0;   % the first harmonics and their mirror images stay
  x = reshape (real (ifft (t)), size (x));
end
end

function x = keep_band (x, b, harmonics)
% Frequencies of every record up to half a harmonic above the last one that is kept. A record is not a period: twice its
% length of zeros stands behind it, so that its ends do not meet.
if harmonics > 0
  [D, M, N] = size (x);
  len = 3 * M;
  t = fft (reshape (permute (x, [2 1 3]), M, D * N), len);
  m = min (0:len-1, len - (0:len-1));
  t(m * (1 / (len * b.dt)) > (harmonics - 0.5) / (b.N * b.dt), :) = 0;
  y = real (ifft (t));
  x = permute (reshape (y(1:M, :), M, D, N), [2 1 3]);
end
end
