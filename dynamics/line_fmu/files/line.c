/* An open overhead contact line as an FMU for co-simulation, FMI 2.0: force in, heights of the contact wire out.
 *
 * The line is M u'' + C u' + K u = N(x) F + what slack droppers take off K u, about its equilibrium. Over a step the
 * force F is held; with the mean velocity w of the step (trapezoidal rule)
 *
 *     (2 M / dt + C + K dt / 2) w = N F + 2 M v / dt - K u + droppers,   u += dt w,   v = 2 w - v.
 *
 * where N F is the mean of the loads at the step's two ends, N0 f0 and N1 f1, with f0 + f1 = 2 F: N1 F + (N0 - N1) f0 / 2.
 * f0 follows from the forces handed over, f1 = F + (F - f0), a little less so that a force in steps leaves no swing.
 * Matrices are lower bands (row, band + 1) of a reordered line.
 * No header of FMI is included: declarations are those that a master calls.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

enum { OK = 0, ERROR = 3 };
/* value references */
enum { FORCE, SPEED, START, INITIAL, HEIGHT, VELOCITY, NEXT, YIELD, STATION, COUNT };
enum { SHAPE = 9, WEIGHTS = 6, SWEEPS = 60 };
static const double DECAYED = 1e-18; /* share of the largest answer */
static const double KEPT = 0.9;      /* of the difference between mean force and force at a step's end */
static const double SETTLED = 1e-9; /* N, of a dropper's correction */

typedef void (*Logger)(void *, const char *, int, const char *, const char *, ...);
typedef struct { Logger logger; void *allocate, *release, *finished, *environment; } Callbacks;

typedef struct {
    Logger logger;
    void *environment;
    char *name;
    int64_t n, band, elements, droppers, holds;
    double dt, hold, given_up, value[COUNT], x, time, moved, end;
    double *M, *K, *C, *shape, *dropper, *A, *u, *v, *w, *rest, *load, *answer, *missing, *work;
    int32_t *shape_dof, *dropper_dof, *hold_dof;
    void *content;
    int ready, stale;
} Line;

static int fail(Line *l, const char *text)
{
    if (l->logger)
        l->logger(l->environment, l->name, ERROR, "logStatusError", text); /* no text holds a percent sign */
    return ERROR;
}

static void multiply(const Line *l, const double *B, const double *x, double scale, double *y)
{
    int64_t b = l->band;
    for (int64_t i = 0; i < l->n; i++) {
        const double *row = B + i * (b + 1);
        int64_t first = i > b ? i - b : 0;
        double sum = row[b] * x[i], own = scale * x[i];
        for (int64_t j = first; j < i; j++) {
            double a = row[b + j - i];
            sum += a * x[j];
            y[j] += a * own;
        }
        y[i] += scale * sum;
    }
}

/* Cholesky factor of a band in place */
static int factor(const Line *l, double *A)
{
    int64_t b = l->band;
    for (int64_t i = 0; i < l->n; i++) {
        double *row = A + i * (b + 1);
        for (int64_t j = i > b ? i - b : 0; j <= i; j++) {
            const double *other = A + j * (b + 1);
            double sum = row[b + j - i];
            for (int64_t k = i > b ? i - b : 0; k < j; k++)
                if (k >= j - b)
                    sum -= row[b + k - i] * other[b + k - j];
            if (j < i)
                row[b + j - i] = sum / other[b];
            else if (sum > 0.0)
                row[b] = sqrt(sum);
            else
                return ERROR;
        }
    }
    return OK;
}

/* Solve within the rows where the answer has not decayed, which for a load at one place are few */
static void solve(const Line *l, const double *A, double *x)
{
    int64_t b = l->band, first = 0, last = l->n - 1, quiet = 0, end;
    double size = 0.0;
    while (first < last && x[first] == 0.0)
        first++;
    while (last > first && x[last] == 0.0)
        last--;
    for (end = first; end < l->n && quiet <= b; end++) {
        const double *row = A + end * (b + 1);
        double sum = x[end];
        for (int64_t j = end > b ? end - b : 0; j < end; j++)
            sum -= row[b + j - end] * x[j];
        x[end] = sum / row[b];
        size = fmax(size, fabs(x[end]));
        quiet = end > last && fabs(x[end]) <= DECAYED * size ? quiet + 1 : 0;
    }
    quiet = 0, size = 0.0;
    for (int64_t i = end - 1; i >= 0 && quiet <= b; i--) {
        const double *row = A + i * (b + 1);
        x[i] /= row[b];
        for (int64_t j = i > b ? i - b : 0; j < i; j++)
            x[j] -= row[b + j - i] * x[i];
        size = fmax(size, fabs(x[i]));
        quiet = i < first && fabs(x[i]) <= DECAYED * size ? quiet + 1 : 0;
    }
}

static void hermite(double xi, double length, double *N, double *slope)
{
    N[0] = 1 - 3 * xi * xi + 2 * xi * xi * xi, N[1] = length * (xi - 2 * xi * xi + xi * xi * xi);
    N[2] = 3 * xi * xi - 2 * xi * xi * xi, N[3] = length * (xi * xi * xi - xi * xi);
    slope[0] = 6 * xi * (xi - 1), slope[1] = length * (1 - 4 * xi + 3 * xi * xi);
    slope[2] = -slope[0], slope[3] = length * (3 * xi * xi - 2 * xi);
}

/* Shapes, and their slopes along the track, of the contact wire at a station; its element, or -1 beyond the wire */
static int64_t shapes_at(const Line *l, double x, double *N, double *slope)
{
    int64_t low = 0, high = l->elements - 1;
    if (x < l->shape[0] || x > l->shape[high * SHAPE + 2])
        return -1;
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (l->shape[middle * SHAPE] <= x)
            low = middle;
        else
            high = middle - 1;
    }
    const double *s = l->shape + low * SHAPE;
    double xi = (x - s[0]) / (s[2] - s[0]), along = 1.0;
    for (int k = 0; k < 5; k++) {
        hermite(xi, s[4], N, slope);
        double here = N[0] * s[0] + N[1] * s[1] + N[2] * s[2] + N[3] * s[3];
        along = slope[0] * s[0] + slope[1] * s[1] + slope[2] * s[2] + slope[3] * s[3];
        if (k < 4)
            xi -= (here - x) / along;
    }
    for (int k = 0; k < 4; k++)
        slope[k] /= along;
    return low;
}

/* Height at rest plus what y adds to it at a station, and the same of another vector along the moving place */
static double height_at(const Line *l, double x, const double *y, int at_rest, double *along)
{
    double N[4], slope[4], sum = 0.0;
    int64_t e = shapes_at(l, x, N, slope);
    *along = 0.0;
    if (e < 0)
        return NAN;
    for (int k = 0; k < 4; k++) {
        int32_t i = l->shape_dof[4 * e + k];
        double q = (at_rest ? l->shape[e * SHAPE + 5 + k] : 0.0) + (i >= 0 ? y[i] : 0.0);
        sum += N[k] * q;
        *along += slope[k] * q;
    }
    return sum;
}

static int add_load(const Line *l, double x, double force, double *f)
{
    double N[4], slope[4];
    int64_t e = shapes_at(l, x, N, slope);
    if (e < 0)
        return ERROR;
    for (int k = 0; k < 4; k++)
        if (l->shape_dof[4 * e + k] >= 0)
            f[l->shape_dof[4 * e + k]] += force * N[k];
    return OK;
}

static double stretch(const Line *l, int64_t d, const double *y)
{
    double sum = 0.0;
    for (int k = 0; k < WEIGHTS; k++) {
        int32_t i = l->dropper_dof[WEIGHTS * d + k];
        if (i >= 0)
            sum += l->dropper[d * 9 + 3 + k] * y[i];
    }
    return sum;
}

/* What a dropper that would push leaves out of K u, beyond that at rest [N]; columns: force, stiffness, dashpot */
static double missing(const Line *l, int64_t d, double longer)
{
    const double *own = l->dropper + d * 9;
    double pull = own[0] + own[1] * longer;
    return l->given_up * (fmin(0.0, pull) - fmin(0.0, own[0]));
}

/* Let slack droppers act on a step's mean velocity w, which without them is `plain` */
static int settle(Line *l, const double *plain, double *w)
{
    memcpy(w, plain, l->n * sizeof *w);
    memset(l->missing, 0, l->droppers * sizeof *l->missing);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double change = 0.0;
        for (int64_t d = 0; d < l->droppers; d++) {
            double before = stretch(l, d, l->u), rate = stretch(l, d, w);
            double own = 0.5 * (missing(l, d, before) + missing(l, d, before + l->dt * rate));
            if (l->dropper[d * 9 + 2] > 0.0 && l->dropper[d * 9] + l->dropper[d * 9 + 1] * before <= 0.0)
                own += l->dropper[d * 9 + 2] * rate;
            change = fmax(change, fabs(own - l->missing[d]));
            l->missing[d] = own;
        }
        if (change <= SETTLED)
            return OK;
        memset(l->work, 0, l->n * sizeof *l->work);
        for (int64_t d = 0; d < l->droppers; d++)
            for (int k = 0; k < WEIGHTS && l->missing[d] != 0.0; k++)
                if (l->dropper_dof[WEIGHTS * d + k] >= 0)
                    l->work[l->dropper_dof[WEIGHTS * d + k]] += l->missing[d] * l->dropper[d * 9 + 3 + k];
        solve(l, l->A, l->work);
        for (int64_t i = 0; i < l->n; i++)
            w[i] = plain[i] + l->work[i];
    }
    return fail(l, "slack droppers did not settle within a step");
}

/* Outputs at the present moment, and what the coming step does without a force and by one newton */
static int prepare(Line *l)
{
    double ahead = l->x + l->value[SPEED] * l->dt, along, own;
    memset(l->rest, 0, l->n * sizeof *l->rest);
    multiply(l, l->M, l->v, 2.0 / l->dt, l->rest);
    multiply(l, l->K, l->u, -1.0, l->rest);
    memset(l->answer, 0, l->n * sizeof *l->answer);
    if (add_load(l, l->x, 0.5 * l->end, l->rest) || add_load(l, ahead, -0.5 * l->end, l->rest) ||
        add_load(l, ahead, 1.0, l->answer))
        return fail(l, "the pantograph must stay under the contact wire: it has come to its end");
    solve(l, l->A, l->rest);
    solve(l, l->A, l->answer);
    if (settle(l, l->rest, l->w))
        return ERROR;
    l->value[HEIGHT] = height_at(l, l->x, l->u, 1, &along);
    l->value[VELOCITY] = height_at(l, l->x, l->v, 0, &own) + l->value[SPEED] * along;
    l->value[YIELD] = l->dt * height_at(l, ahead, l->answer, 0, &own);
    l->value[NEXT] = height_at(l, ahead, l->u, 1, &along) + l->dt * height_at(l, ahead, l->w, 0, &own);
    l->value[STATION] = l->x;
    return OK;
}

static int advance(Line *l)
{
    for (int64_t i = 0; i < l->n; i++)
        l->load[i] = l->rest[i] + l->value[FORCE] * l->answer[i];
    if (settle(l, l->load, l->w))
        return ERROR;
    for (int64_t i = 0; i < l->n; i++) {
        l->u[i] += l->dt * l->w[i];
        l->v[i] = 2.0 * l->w[i] - l->v[i];
    }
    l->end = l->value[FORCE] + KEPT * (l->value[FORCE] - l->end);
    l->moved += l->dt;
    l->x = l->value[START] + l->value[SPEED] * l->moved;
    return prepare(l);
}

static int at_rest(Line *l)
{
    size_t size = l->n * (l->band + 1) * sizeof(double);
    memcpy(l->A, l->K, size);
    for (int64_t k = 0; k < l->holds; k++)
        l->A[l->hold_dof[k] * (l->band + 1) + l->band] += l->hold;
    if (factor(l, l->A))
        return fail(l, "the line's stiffness is not positive definite");
    memset(l->u, 0, l->n * sizeof *l->u);
    memset(l->v, 0, l->n * sizeof *l->v);
    l->x = l->value[START], l->moved = 0.0, l->end = l->value[INITIAL];
    if (add_load(l, l->x, l->value[INITIAL], l->u))
        return fail(l, "start_station must lie under the contact wire");
    solve(l, l->A, l->u);
    for (int64_t i = 0; i < l->n * (l->band + 1); i++)
        l->A[i] = 2.0 / l->dt * l->M[i] + l->C[i] + 0.5 * l->dt * l->K[i];
    if (factor(l, l->A))
        return fail(l, "the step's matrix is not positive definite");
    l->ready = 1, l->stale = 0;
    return prepare(l);
}

static int read_content(Line *l, const char *place)
{
    char path[4096];
    if (!strncmp(place, "file://", 7))
        place += strncmp(place, "file://localhost/", 17) ? 7 : 16;
#ifdef _WIN32
    if (place[0] == '/')
        place++;
#endif
    size_t used = 0;
    for (; *place && used < sizeof path - 16; place++) {
        unsigned code;
        if (*place == '%' && sscanf(place + 1, "%2x", &code) == 1)
            path[used++] = (char)code, place += 2;
        else
            path[used++] = *place;
    }
    while (used && path[used - 1] == '/')
        used--;
    strcpy(path + used, "/line.bin");
    FILE *file = fopen(path, "rb");
    if (!file)
        return ERROR;
    int64_t count[8];
    double number[8];
    if (fread(count, 8, 8, file) != 8 || count[0] != 0x454e494c || fread(number, 8, 8, file) != 8)
        return fclose(file), ERROR;
    l->n = count[1], l->band = count[2], l->elements = count[3], l->droppers = count[4], l->holds = count[5];
    l->dt = number[0], l->hold = number[1], l->given_up = number[2];
    l->value[SPEED] = number[3], l->value[START] = number[4], l->value[INITIAL] = number[5];
    l->value[FORCE] = number[5];
    size_t whole = l->n * (l->band + 1);
    size_t doubles = 3 * whole + SHAPE * l->elements + 9 * l->droppers;
    size_t ints = 4 * l->elements + WEIGHTS * l->droppers + l->holds;
    l->content = malloc(8 * (doubles + whole + 7 * l->n + l->droppers) + 4 * ints);
    if (!l->content)
        return fclose(file), ERROR;
    double *at = l->content;
    int good = fread(at, 8, doubles, file) == doubles;
    l->M = at, l->K = at + whole, l->C = at + 2 * whole, l->shape = at + 3 * whole;
    l->dropper = l->shape + SHAPE * l->elements;
    l->A = l->dropper + 9 * l->droppers;
    l->u = l->A + whole, l->v = l->u + l->n, l->w = l->v + l->n, l->rest = l->w + l->n, l->load = l->rest + l->n;
    l->answer = l->load + l->n, l->work = l->answer + l->n, l->missing = l->work + l->n;
    l->shape_dof = (int32_t *)(l->missing + l->droppers);
    good = good && fread(l->shape_dof, 4, ints, file) == ints;
    l->dropper_dof = l->shape_dof + 4 * l->elements, l->hold_dof = l->dropper_dof + WEIGHTS * l->droppers;
    fclose(file);
    return good ? OK : ERROR;
}

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }
EXPORT int fmi2SetDebugLogging(void *c, int on, size_t n, const char *const *categories) { return OK; }

EXPORT void fmi2FreeInstance(void *c)
{
    Line *l = c;
    if (l)
        free(l->content), free(l->name), free(l);
}

EXPORT void *fmi2Instantiate(const char *name, int type, const char *guid, const char *place, const Callbacks *calls,
                             int visible, int logging)
{
    Line *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->name = calloc(strlen(name) + 1, 1);
    if (l->name)
        strcpy(l->name, name);
    if (calls)
        l->logger = calls->logger, l->environment = calls->environment;
    int wrong = type != 1 || strcmp(guid, GUID) || !place;
    if (wrong)
        fail(l, "must be instantiated for co-simulation with the guid and the resources of its own description");
    else if ((wrong = read_content(l, place)))
        fail(l, "resources/line.bin cannot be read");
    if (!wrong)
        return l;
    fmi2FreeInstance(l);
    return NULL;
}

EXPORT int fmi2SetupExperiment(void *c, int tolerant, double tolerance, double begin, int ends, double end)
{
    ((Line *)c)->time = begin;
    return OK;
}
EXPORT int fmi2EnterInitializationMode(void *c) { return at_rest(c); }
EXPORT int fmi2ExitInitializationMode(void *c) { return ((Line *)c)->stale ? at_rest(c) : OK; }
EXPORT int fmi2Terminate(void *c) { return OK; }
EXPORT int fmi2Reset(void *c)
{
    ((Line *)c)->ready = 0;
    return OK;
}

EXPORT int fmi2SetReal(void *c, const uint32_t *vr, size_t n, const double *x)
{
    Line *l = c;
    for (size_t k = 0; k < n; k++) {
        if (vr[k] > INITIAL || (vr[k] != FORCE && l->moved > 0.0 && l->ready))
            return fail(l, "only contact_force can be set while the line moves, parameters before, outputs never");
        if (!isfinite(x[k]))
            return fail(l, "values must be finite");
        l->value[vr[k]] = x[k];
        l->stale |= vr[k] != FORCE;
    }
    return OK;
}

EXPORT int fmi2GetReal(void *c, const uint32_t *vr, size_t n, double *x)
{
    Line *l = c;
    for (size_t k = 0; k < n; k++) {
        if (vr[k] >= COUNT)
            return fail(l, "there is no such variable");
        x[k] = l->value[vr[k]];
    }
    return OK;
}

EXPORT int fmi2DoStep(void *c, double time, double h, int keep)
{
    Line *l = c;
    double steps = floor(h / l->dt + 0.5);
    if (!l->ready || steps < 1.0 || fabs(h - steps * l->dt) > 1e-6 * l->dt)
        return fail(l, "a communication step must be a whole number of the line's own steps (DefaultExperiment)");
    for (int k = 0; k < (int)steps; k++)
        if (advance(l))
            return ERROR;
    return OK;
}

/* What the standard asks every FMU to have, and this one has no variables or states for */
#define NONE(name, type) \
    EXPORT int name(void *c, const uint32_t *vr, size_t n, type x) { return n ? ERROR : OK; }
NONE(fmi2GetInteger, int *)
NONE(fmi2GetBoolean, int *)
NONE(fmi2GetString, const char **)
NONE(fmi2SetInteger, const int *)
NONE(fmi2SetBoolean, const int *)
NONE(fmi2SetString, const char *const *)
EXPORT int fmi2GetFMUstate(void *c, void **s) { return ERROR; }
EXPORT int fmi2SetFMUstate(void *c, void *s) { return ERROR; }
EXPORT int fmi2FreeFMUstate(void *c, void **s) { return ERROR; }
EXPORT int fmi2SerializedFMUstateSize(void *c, void *s, size_t *n) { return ERROR; }
EXPORT int fmi2SerializeFMUstate(void *c, void *s, char *b, size_t n) { return ERROR; }
EXPORT int fmi2DeSerializeFMUstate(void *c, const char *b, size_t n, void **s) { return ERROR; }
EXPORT int fmi2GetDirectionalDerivative(void *c, const uint32_t *u, size_t n, const uint32_t *k, size_t m,
                                        const double *d, double *x) { return ERROR; }
EXPORT int fmi2SetRealInputDerivatives(void *c, const uint32_t *vr, size_t n, const int *o, const double *x) { return ERROR; }
EXPORT int fmi2GetRealOutputDerivatives(void *c, const uint32_t *vr, size_t n, const int *o, double *x) { return ERROR; }
EXPORT int fmi2CancelStep(void *c) { return ERROR; }
EXPORT int fmi2GetStatus(void *c, int kind, int *x) { return ERROR; }
EXPORT int fmi2GetRealStatus(void *c, int kind, double *x) { return ERROR; }
EXPORT int fmi2GetIntegerStatus(void *c, int kind, int *x) { return ERROR; }
EXPORT int fmi2GetBooleanStatus(void *c, int kind, int *x) { return ERROR; }
EXPORT int fmi2GetStringStatus(void *c, int kind, const char **x) { return ERROR; }
