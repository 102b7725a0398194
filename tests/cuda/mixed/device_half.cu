#include "cases.hpp"

report device_report() { return make_report(); }
