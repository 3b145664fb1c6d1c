function [height, s] = pfem_step (s, force)
% [HEIGHT, S] = PFEM_STEP (S, FORCE)  Take the force [N] measured in this step, give the height [m] to send.
if ~(abs (force) <= 1e5), error ('pfem_step: a force must be finite and at most 1e5 N: got %g', force); end
N = s.N; M = s.M;
n = mod (s.k, N); ahead = mod (s.k + s.delay, N);
change = s.relaxation * (force - s.f(n+1));
s.f(n+1) = s.f(n+1) + change;
s.z = s.z + s.I_cc(:, n+1) * change;
s.fresh = s.fresh + s.I_cc(:, n+1) * s.f(n+1);
% droppers whose record holds this step, in the period behind, in this one, in the one ahead
nd = numel (s.F);
sample = repmat (n - s.offset(:), 1, 3) + repmat ([1 0 -1] * N, nd, 1);
[d, ~] = find (sample >= 0 & sample < M);
d = d(:); k = sample(sample >= 0 & sample < M); k = k(:);
at = sub2ind ([nd M], d, k + 1);
squeezed = find (any (s.f_d, 1));
e = zeros (numel (d), 1);
for x = unique (k)'
  here = find (k == x);   % droppers of one span of the line share a sample
  e(here) = (s.f' * s.I_dc(:, d(here), x+1))';
  if ~isempty (squeezed)
    lags = s.K_dd(d(here), :, x - (squeezed - 1) + M);
    e(here) = e(here) + reshape (lags, numel (here), []) * reshape (s.f_d(:, squeezed), [], 1);
  end
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
