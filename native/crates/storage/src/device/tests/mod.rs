//! The device storage as a whole, over a disk that fails on command.

mod accepted;
mod damage;
mod files;
mod flushing;
mod full_file_system;
mod last_block;
mod making_room;
mod marked_free;
mod marks;
mod monitor;
mod neighbours;
mod power_loss;
mod recorded_run;
mod rig;
mod round_trip;
mod write_faults;
