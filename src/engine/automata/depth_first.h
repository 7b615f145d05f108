#pragma once
#include "engine/automata/breadth_first.h"
namespace fenceline {
using DepthFirst = BreadthFirst;
}
