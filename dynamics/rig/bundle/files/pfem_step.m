function [height, s] = pfem_step (s, force)
% [HEIGHT, S] = PFEM_STEP (S, FORCE)  Take the force [N] measured in this step, give the height [m] to send.
if ~(abs (force) <= 1e5), error ('pfem_step: a force must be finite and at most 1e5 N: got %g', force); end
N = s.N; M = s.M;
n = mod (s.k, N); ahead = mod (s.k + s.delay, N);
change = s.relaxation * (force - s.f(n+1));
s.f(n+1) = s.f(n+1) + change;
s.z = s.z + s.I_cc(:, n+1) * change;
s.fresh = s.fresh + s.I_cc(:, n+1) * s.f(n+1);
% droppers whose record holds this step: the span behind, its own, the one ahead
sample = n - s.offset + [1 0 -1] * N;
sample = sample(sample >= 0 & sample < M);
nd = numel (s.F);
d = repmat ((1:nd)', numel (sample), 1);
k = kron (sample(:), ones (nd, 1));
at = sub2ind ([nd M], d, k + 1);
squeezed = find (any (s.f_d, 1));
e = [];
for x = sample
  here = (s.f' * s.I_dc(:, :, x+1))';
  if ~isempty (squeezed)
    lags = s.K_dd(:, :, x - (squeezed - 1) + M);
    here = here + reshape (lags, nd, []) * reshape (s.f_d(:, squeezed), [], 1);
  end
  e = [e; here];
end
old = s.f_d(at); now = old;
coupling = s.K_dd(sub2ind (size (s.K_dd), d + 0 * d', d' + 0 * d, k - k' + M));
give = 1 + s.kd * diag (coupling);
for sweep = 1:@SWEEPS@
  for a = 1:numel (d)
    was = now(a);
    now(a) = max (0, was - (s.F(d(a)) + s.kd * e(a) + was) / give(a));
    if now(a) ~= was, e = e + coupling(:, a) * (now(a) - was); end
  end
end
s.f_d(at) = now;
for a = find (now ~= old)', s.z = s.z + s.I_cd(:, d(a), k(a)+1) * (now(a) - old(a)); end
for a = find (now)', s.fresh = s.fresh + s.I_cd(:, d(a), k(a)+1) * now(a); end
if n == N - 1
  % every force of the record has been met once: what has been added up is z, free of old rounding
  s.before = s.last; s.last = s.fresh; s.z = s.fresh; s.fresh = s.z0;
end
s.k = s.k + 1;
if s.strategy == 0
  height = s.z(ahead+1);
else
  newer = mod (s.k, N) / (N - 1);
  height = (1 - newer) * s.before(ahead+1) + newer * s.last(ahead+1);
end
if s.ramp_steps > 0, height = height * min (1, s.k / s.ramp_steps); end
end
