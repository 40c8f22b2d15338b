mod crash;
mod damage;
mod limits;
mod model;
mod rig;
