"""Inputs that make a command run in a second or two."""

SMALL_WINDOW = (
    "periodic.spans_behind=5",
    "periodic.spans_ahead=6",
    "transient.spans=12",
    "dt=2e-3",
    "error_estimate=false",
)
SMALL_SEARCH = (
    *SMALL_WINDOW,
    "transient.spans_evaluated=4",
    "trials=3",
    "cluster=serial",
    "trust.samples=1",
    "trust.speeds=1",
    "trust.length_errors_mm=[]",
    "trust.length_tolerance.rise_percent=null",
    "transient.spans_behind=5",
    "transient.spans_ahead=6",
    # long elements: a step costs half as much, and nothing here asks what a finer mesh would say
    "catenary.mesh.elements_per_bay=2",
    "catenary.mesh.largest_element_length=60",
)
BRUNI = ("catenary=bruni_2015", "pantograph=bruni_2015", "speed_kmh=275")
UNSETTLED = ("periodic.max_spans=5", "transient.spans=12", "transient.spans_evaluated=4")
