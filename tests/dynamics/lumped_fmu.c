/* A three-mass pantograph as an FMU for co-simulation, FMI 2 or 3 (-DFMI=2, -DFMI=3): the second formulation of the
 * tests, and what an FMU can do wrong. Between two communication points it takes SUBSTEPS steps of Runge-Kutta.
 * It includes no header of FMI: declarations are those that a master calls.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define MASSES 3
#define SUBSTEPS 8
/* value references */
enum { FORCE, HEIGHT, VELOCITY, APPLIED, HANGS_AT, CRASHES_AT, FAILS_AT, OFFSET, COUNT };

typedef struct {
    double value[COUNT], z[MASSES], v[MASSES], time;
} Pantograph;

static const double M[MASSES] = {7.5, 9.0, 6.0};
static const double K[MASSES] = {7000.0, 15500.0, 160.0};
static const double C[MASSES] = {45.0, 0.1, 100.0};

static void accelerations(const Pantograph *p, const double *z, const double *v, double *a)
{
    for (int i = 0; i < MASSES; i++) {
        double below_z = i + 1 < MASSES ? z[i + 1] : 0.0, below_v = i + 1 < MASSES ? v[i + 1] : 0.0;
        double f = -K[i] * (z[i] - below_z) - C[i] * (v[i] - below_v);
        if (i > 0)
            f += K[i - 1] * (z[i - 1] - z[i]) + C[i - 1] * (v[i - 1] - v[i]);
        if (i == 0)
            f -= p->value[FORCE];
        if (i == MASSES - 1)
            f += p->value[APPLIED];
        a[i] = f / M[i];
    }
}

static void substep(Pantograph *p, double h)
{
    double z[MASSES], v[MASSES], a[4][MASSES], w[4][MASSES];
    for (int s = 0; s < 4; s++) {
        double ahead = s == 0 ? 0.0 : s == 3 ? h : 0.5 * h;
        for (int i = 0; i < MASSES; i++) {
            z[i] = p->z[i] + (s ? ahead * w[s - 1][i] : 0.0);
            v[i] = p->v[i] + (s ? ahead * a[s - 1][i] : 0.0);
        }
        for (int i = 0; i < MASSES; i++)
            w[s][i] = v[i];
        accelerations(p, z, v, a[s]);
    }
    for (int i = 0; i < MASSES; i++) {
        p->z[i] += h / 6.0 * (w[0][i] + 2.0 * w[1][i] + 2.0 * w[2][i] + w[3][i]);
        p->v[i] += h / 6.0 * (a[0][i] + 2.0 * a[1][i] + 2.0 * a[2][i] + a[3][i]);
    }
}

static void *begin(void)
{
    Pantograph *p = calloc(1, sizeof *p);
    p->value[HANGS_AT] = p->value[CRASHES_AT] = p->value[FAILS_AT] = 1e9;
    return p;
}

static int set(void *c, const uint32_t *vr, size_t n, const double *value)
{
    for (size_t k = 0; k < n; k++)
        ((Pantograph *)c)->value[vr[k]] = value[k];
    return 0;
}

static int get(void *c, const uint32_t *vr, size_t n, double *value)
{
    Pantograph *p = c;
    for (size_t k = 0; k < n; k++)
        value[k] = vr[k] == HEIGHT ? p->z[0] + p->value[OFFSET] : vr[k] == VELOCITY ? p->v[0] : p->value[vr[k]];
    return 0;
}

static int step(void *c, double dt)
{
    Pantograph *p = c;
    while (p->time >= p->value[HANGS_AT])
        sleep(1);
    if (p->time >= p->value[CRASHES_AT])
        abort();
    if (p->time >= p->value[FAILS_AT])
        return 3;
    for (int k = 0; k < SUBSTEPS; k++)
        substep(p, dt / SUBSTEPS);
    p->time += dt;
    return 0;
}

#if FMI == 2
void *fmi2Instantiate(const char *n, int t, const char *g, const char *r, const void *b, int v, int l) { return begin(); }
int fmi2SetupExperiment(void *c, int d, double t, double a, int e, double b) { return 0; }
int fmi2EnterInitializationMode(void *c) { return 0; }
int fmi2ExitInitializationMode(void *c) { return 0; }
int fmi2SetReal(void *c, const uint32_t *vr, size_t n, const double *x) { return set(c, vr, n, x); }
int fmi2GetReal(void *c, const uint32_t *vr, size_t n, double *x) { return get(c, vr, n, x); }
int fmi2DoStep(void *c, double t, double h, int keep) { return step(c, h); }
int fmi2Terminate(void *c) { return 0; }
void fmi2FreeInstance(void *c) { free(c); }
#else
void *fmi3InstantiateCoSimulation(const char *n, const char *g, const char *r, bool v, bool l, bool e, bool a,
                                  const uint32_t *i, size_t m, void *b, void *log, void *update) { return begin(); }
int fmi3EnterInitializationMode(void *c, bool d, double t, double a, bool e, double b) { return 0; }
int fmi3ExitInitializationMode(void *c) { return 0; }
int fmi3SetFloat64(void *c, const uint32_t *vr, size_t n, const double *x, size_t m) { return set(c, vr, n, x); }
int fmi3GetFloat64(void *c, const uint32_t *vr, size_t n, double *x, size_t m) { return get(c, vr, n, x); }
int fmi3DoStep(void *c, double t, double h, bool keep, bool *event, bool *end, bool *early, double *last)
{
    *event = *end = *early = false;
    *last = t + h;
    return step(c, h);
}
int fmi3Terminate(void *c) { return 0; }
void fmi3FreeInstance(void *c) { free(c); }
#endif
