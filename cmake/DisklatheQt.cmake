# SPDX-License-Identifier: GPL-3.0-or-later
#
# The desktop program is built where Qt 6 and the frameworks it stands on are there; the core and the command need none.

find_package(Qt6 6.6 QUIET COMPONENTS Core Gui Widgets Svg DBus LinguistTools)
find_package(KF6Auth QUIET)
find_package(KF6CoreAddons QUIET)
find_package(KF6JobWidgets QUIET)
find_package(KF6DBusAddons QUIET)
find_package(KF6Notifications QUIET)
if(Qt6Widgets_FOUND AND Qt6Svg_FOUND AND Qt6DBus_FOUND AND Qt6LinguistTools_FOUND
   AND KF6Auth_FOUND AND KF6CoreAddons_FOUND AND KF6JobWidgets_FOUND AND KF6DBusAddons_FOUND AND KF6Notifications_FOUND)
  set(DISKLATHE_GUI ON)
else()
  set(DISKLATHE_GUI OFF)
  message(STATUS "Without disklathe-gui: Qt 6 (Widgets, Svg, DBus, LinguistTools) or KDE Frameworks 6 "
    "(Auth, CoreAddons, JobWidgets, DBusAddons, Notifications) are missing")
endif()
