/* Everything a program that links libskep needs. */
#ifndef SKEP_SKEP_H
#define SKEP_SKEP_H

#include "skep/arrow_abi.h"
#include "skep/status.h"
#include "skep/table.h"
#include "skep/version.h"
#include "skep/warehouse.h"

#endif
