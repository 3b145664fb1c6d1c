"""Inputs that make a command run in a second or two."""

SMALL_WINDOW = (
    "periodic.spans_behind=5",
    "periodic.spans_ahead=6",
    "transient.spans=12",
    "dt=2e-3",
    "error_estimate=false",
)
# long elements: a step costs half as much, for what does not ask what a finer mesh would say
LONG_ELEMENTS = ("catenary.mesh.elements_per_bay=2", "catenary.mesh.largest_element_length=60")
# an off-design table of speeds alone: every kind of condition takes much of a small campaign's time
FEW_CONDITIONS = (
    "trust.contact_stiffness=[]",
    "trust.damping_factors=[]",
    "trust.height_errors_mm=[]",
    "trust.other_dimension=false",
)
SMALL_SEARCH = (
    *SMALL_WINDOW,
    *LONG_ELEMENTS,
    "transient.spans_evaluated=4",
    "trials=3",
    "cluster=serial",
    "trust.samples=1",
    "trust.speeds=1",
    "trust.length_errors_mm=[]",
    "trust.length_tolerance.rise_percent=null",
    "transient.spans_behind=5",
    "transient.spans_ahead=6",
)
BRUNI = ("catenary=bruni_2015", "pantograph=bruni_2015", "speed_kmh=275")
UNSETTLED = ("periodic.method=march", "periodic.max_spans=5", "transient.spans=12", "transient.spans_evaluated=4")
