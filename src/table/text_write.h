/* Text files as a delta writer writes them. Inside table only. */
#ifndef TABLE_TEXT_WRITE_H
#define TABLE_TEXT_WRITE_H

#include "acid/delta_writer.h"

/* The functions; in a skep_text_format they stand first. */
extern const skep_row_codec skep_text_row_codec;

#endif
