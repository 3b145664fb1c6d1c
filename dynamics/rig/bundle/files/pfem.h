/* The periodic finite element model of an overhead contact line, stepped by a hardware loop. C99, static memory.
 *
 * Line @LINE@ at @SPEED@ km/h, one step every @DT@ ms, made for the pantograph @PANTOGRAPH@ pressed to @FORCE@. The recursion is written out in README.md.
 * This file belongs to one pfem.bin: sizes and checksum below are its own, and pfem_load refuses any other.
 *
 * Use:   pfem_load("pfem.bin", N_h, N_hd)  ->  pfem_start(&settings)  ->  pfem_step(force, &height) every step,
 *        with the settings of recommendation.json: others, or another pantograph, may run away.
 * Nothing is allocated; no function but pfem_load touches a file. One model a process; not safe for threads.
 */
#ifndef PFEM_H
#define PFEM_H

#define PFEM_N @N@            /* steps a period */
#define PFEM_M @M@            /* samples of a dropper's local record */
#define PFEM_DROPPERS @DROPPERS@     /* droppers a period */
#define PFEM_SELF_TEST @TEST@   /* steps of the self-test */
#define PFEM_SWEEPS @SWEEPS@       /* sweeps over the droppers in a step */
#define PFEM_DATA_CRC @CRC@u   /* CRC-32 of pfem.bin's numbers */

enum { PFEM_STEP_BY_STEP = 0, PFEM_SPAN_BY_SPAN = 1 };

typedef struct {
    int strategy;       /* PFEM_STEP_BY_STEP or PFEM_SPAN_BY_SPAN */
    int delay;          /* D >= 1: steps from a force's measurement to the position that answers it */
    double relaxation;  /* 0 < mu_c <= 1 */
    long ramp_steps;    /* heights grow from 0 to full size over so many steps; 0: at once */
} pfem_settings;

/* What the file says of itself, and the stored self-test. */
typedef struct {
    double speed, dt, span;                          /* m/s, s, m; the period */
    int self_test_harmonics, self_test_dropper_harmonics;
    pfem_settings self_test;                         /* its strategy is set by pfem_self_test */
    double self_test_force[PFEM_SELF_TEST];          /* N */
    double self_test_height[2][PFEM_SELF_TEST];      /* m, by strategy */
    double self_test_tolerance;                      /* relative to the largest height */
} pfem_facts;

/* Read the matrices; keep the first `harmonics` of the height (the mean counts as one) and the first
 * `dropper_harmonics` of the elongation that contact forces cause, all of them if 0.
 * Returns 0, or 1 with a sentence in pfem_error(). */
int pfem_load(const char *path, int harmonics, int dropper_harmonics);

/* Begin a test at a support, without force. Returns 0, or 1 with a sentence in pfem_error(). */
int pfem_start(const pfem_settings *settings);

/* Take the force [N] measured in this step, give the height [m] to send. Returns 0; or 1 if the force is not finite or
 * not between 0 and 1e5 N, in absolute value: then nothing has changed and the height is the last one. */
int pfem_step(double force, double *height);

/* Correction force [N] of a dropper at one sample of its record. */
double pfem_dropper_force(int dropper, int sample);

const pfem_facts *pfem_about(void);
const char *pfem_error(void);

/* Run the stored self-test with one strategy; the largest difference relative to the largest height. */
double pfem_self_test(int strategy);

#endif
