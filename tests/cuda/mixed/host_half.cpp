#include "cases.hpp"

report host_report() { return make_report(); }
