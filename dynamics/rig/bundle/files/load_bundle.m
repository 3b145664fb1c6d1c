function b = load_bundle (folder)
% B = LOAD_BUNDLE (FOLDER)  Matrices of a rig bundle, checked. GNU Octave and MATLAB, no toolbox.
%
% Indices run from 1 here and from 0 in the README: I_cd(n + 1, d + 1, k + 1). No array is transposed.
% Then:   s = pfem_start (b, b.recommended);
%         [height, s] = pfem_step (s, force);
%
% Made for the pantograph @PANTOGRAPH@ pressed to @FORCE@ at @SPEED@ km/h (b.made_for_pantograph and so on).
%
% B.recommended is what recommendation.json says, for the pantograph that the loop was judged with, and a ramp of 20000
% steps; there is none before the loop was judged. Other settings, and these with another pantograph, may run away: judge
% them first.
if nargin < 1, folder = fileparts (mfilename ('fullpath')); end
file = fullfile (folder, 'pfem.mat');
if ~exist (file, 'file'), error ('load_bundle: %s is missing', file); end
try
  b = load (file);
catch problem
  error ('load_bundle: %s is damaged or cut short (%s): export the bundle again', file, strtrim (problem.message));
end
names = @NAMES@;
for i = 1:numel (names)
  if ~isfield (b, names{i}) || ~isa (b.(names{i}), 'double')
    error ('load_bundle: %s holds no numbers %s; it is damaged, cut short or of another version: export the bundle again', file, names{i});
  end
end
if ~isfield (b, 'schema_version') || ~isfield (b, 'checksum')
  error ('load_bundle: %s holds no schema_version or no checksum; it is damaged, cut short or of another version: export the bundle again', file);
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
  error ('load_bundle: %d steps of %g s at %g m/s do not make a period of %g m', b.N, b.dt, b.speed, b.span);
end
for i = 1:numel (names)
  if size (b.checksum, 1) ~= numel (names) || ~isequal (sums (b.(names{i})), b.checksum(i, :))
    error ('load_bundle: %s has been altered: the checksum of %s is wrong; export the bundle again', file, names{i});
  end
end
judged = fullfile (folder, 'recommendation.json');
if exist (judged, 'file'), b = with_recommendation (b, judged); end
end

function s = sums (value)
% Of the words of 16 bits, and of these times their place in a block of 2^18; whole numbers below 2^53 throughout.
words = typecast (value(:), 'uint16');
s = [0 0];
for first = 1:2^18:numel (words)
  part = double (words(first:min (first + 2^18 - 1, numel (words))));
  s = mod (s .* [65599 4099] + [sum(part), (1:numel (part)) * part(:)], 2^26 - 5);
end
end

function b = with_recommendation (b, file)
% Settings as pfem_start takes them; none where the file recommends nothing.
text = fileread (file);
names = {'delay', 'delay_steps'; 'relaxation', 'contact_relaxation'; 'harmonics', 'height_harmonics'; ...
         'dropper_harmonics', 'dropper_harmonics'};
how = struct ('strategy', double (~isempty (strfind (text, '"span_by_span"'))), 'ramp_steps', 20000);
for i = 1:size (names, 1)
  found = regexp (text, ['"' names{i, 2} '":\s*([-+.0-9eE]+)'], 'tokens', 'once');
  if isempty (found), found = {'NaN'}; end
  how.(names{i, 1}) = str2double (found{1});
end
if isempty (regexp (text, '"stable":\s*true', 'once')) || any (isnan (cell2mat (struct2cell (how))))
  warning ('load_bundle: %s recommends no settings; have the loop judged before a test', file);
else
  b.recommended = how;
end
end
