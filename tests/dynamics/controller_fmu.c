/* A controller as an FMU for co-simulation, FMI 2 or 3 (-DFMI=2, -DFMI=3): PI of the contact force whose integral leaks,
 * and a weighted sum of all that is measured. Errors run along straight lines from one step's end to the next.
 * It includes no header of FMI: declarations are those that a master calls.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define INPUTS 5
/* value references */
enum { FORCE, REFERENCE = 2 * INPUTS, PROPORTIONAL, INTEGRAL, LEAK_HZ, HANGS_AT, COMMAND, COUNT };

typedef struct {
    double value[COUNT], error, integral, time;
} Controller;

static void *begin(void)
{
    Controller *c = calloc(1, sizeof *c);
    c->value[HANGS_AT] = 1e9;
    return c;
}

static void command(Controller *c)
{
    c->value[COMMAND] = c->value[PROPORTIONAL] * c->error + c->integral;
    for (int k = 0; k < INPUTS; k++)
        c->value[COMMAND] += c->value[INPUTS + k] * c->value[k];
}

static int initialised(void *given)
{
    Controller *c = given;
    c->error = c->value[REFERENCE] - c->value[FORCE];
    command(c);
    return 0;
}

static int set(void *c, const uint32_t *vr, size_t n, const double *value)
{
    for (size_t k = 0; k < n; k++)
        ((Controller *)c)->value[vr[k]] = value[k];
    return 0;
}

static int get(void *c, const uint32_t *vr, size_t n, double *value)
{
    for (size_t k = 0; k < n; k++)
        value[k] = ((Controller *)c)->value[vr[k]];
    return 0;
}

static int step(void *given, double t, double dt)
{
    Controller *c = given;
    double half = 0.5 * dt, leak = 6.283185307179586 * c->value[LEAK_HZ];
    double before = c->error, now = c->value[REFERENCE] - c->value[FORCE];
    if (t < c->time - 1e-9 || t > c->time + 1e-9)
        return 3; /* its clock is the run's */
    while (c->time >= c->value[HANGS_AT])
        sleep(1);
    c->integral = ((1.0 - half * leak) * c->integral + half * c->value[INTEGRAL] * (before + now)) / (1.0 + half * leak);
    c->error = now;
    c->time += dt;
    command(c);
    return 0;
}

#if FMI == 2
void *fmi2Instantiate(const char *n, int t, const char *g, const char *r, const void *b, int v, int l) { return begin(); }
int fmi2SetupExperiment(void *c, int d, double t, double a, int e, double b) { return 0; }
int fmi2EnterInitializationMode(void *c) { return 0; }
int fmi2ExitInitializationMode(void *c) { return initialised(c); }
int fmi2SetReal(void *c, const uint32_t *vr, size_t n, const double *x) { return set(c, vr, n, x); }
int fmi2GetReal(void *c, const uint32_t *vr, size_t n, double *x) { return get(c, vr, n, x); }
int fmi2DoStep(void *c, double t, double h, int keep) { return step(c, t, h); }
int fmi2Terminate(void *c) { return 0; }
void fmi2FreeInstance(void *c) { free(c); }
#else
void *fmi3InstantiateCoSimulation(const char *n, const char *g, const char *r, bool v, bool l, bool e, bool a,
                                  const uint32_t *i, size_t m, void *b, void *log, void *update) { return begin(); }
int fmi3EnterInitializationMode(void *c, bool d, double t, double a, bool e, double b) { return 0; }
int fmi3ExitInitializationMode(void *c) { return initialised(c); }
int fmi3SetFloat64(void *c, const uint32_t *vr, size_t n, const double *x, size_t m) { return set(c, vr, n, x); }
int fmi3GetFloat64(void *c, const uint32_t *vr, size_t n, double *x, size_t m) { return get(c, vr, n, x); }
int fmi3DoStep(void *c, double t, double h, bool keep, bool *event, bool *end, bool *early, double *last)
{
    *event = *end = *early = false;
    *last = t + h;
    return step(c, t, h);
}
int fmi3Terminate(void *c) { return 0; }
void fmi3FreeInstance(void *c) { free(c); }
#endif
