// SPDX-License-Identifier: GPL-3.0-or-later
#include <core/base/version.h>

#include <iostream>

int main() { std::cout << "built with Disklathe " << disklathe::version() << '\n'; }
