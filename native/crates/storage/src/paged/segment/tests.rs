mod crash;
mod damage;
mod leave;
mod limits;
mod model;
mod rebuild;
mod rig;
