use super::*;
use tessera_base::wait_until;

const NEVER: fn() -> bool = || false;

fn budget(total: u64) -> Arc<Budget> {
    Budget::new(total, Duration::from_secs(60))
}

/// A query that holds so many bytes of the budget, or would.
fn query(budget: &Arc<Budget>, bytes: u64) -> Arc<Share> {
    let share = budget.share();
    share.hold(FREE + bytes);
    share
}

fn code(outcome: Option<Result<()>>) -> Option<ErrorCode> {
    outcome.map(|outcome| outcome.unwrap_err().code)
}

fn served(wait: &Wait) -> bool {
    wait.look().is_some_and(|outcome| outcome.map(|()| true).unwrap())
}

#[test]
fn what_fits_alone_is_never_refused() {
    let budget = budget(10 * STEP);
    let share = budget.share();
    for _ in 0..10 {
        share.hold(STEP);
        share.settle(NEVER).unwrap();
    }
    share.hold(FREE);
    share.settle(NEVER).unwrap();
    assert_eq!(budget.usage().used_bytes, 10 * STEP);
    share.hold(1);
    assert_eq!(share.settle(NEVER).unwrap_err().code, ErrorCode::RequestTooLarge);
    drop(share);
    assert_eq!(budget.usage(), BudgetUse { total_bytes: 10 * STEP, ..BudgetUse::default() });
}

#[test]
fn what_threads_have_apart_is_waited_for_and_not_refused() {
    let budget = budget(STEP);
    let share = query(&budget, STEP);
    share.hold_apart(STEP);
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| share.settle(NEVER));
        wait_until(|| budget.usage().waiting == 1);
        // Another thread hands it over, and it is known already.
        share.unite(STEP);
        share.release(STEP);
        waits.join().unwrap().unwrap();
    });
}

#[test]
fn a_body_alone_may_have_more_than_there_is_and_beside_others_what_fits() {
    let budget = budget(4);
    let share = budget.body();
    assert!(served(&share.ask(3)) && served(&share.ask(5)), "as a whole, and piece by piece");
    let other = budget.body();
    assert!(other.ask(1).look().is_none());
    drop(share);
    let (share, other) = (budget.body(), budget.body());
    assert!(served(&share.ask(2)) && served(&other.ask(1)) && share.ask(2).look().is_none());
    drop(other);
    assert!(served(&share.ask(0)), "what it asked for before");
    assert_eq!(budget.usage().used_bytes, 4);
    drop(share);
    assert_eq!(budget.usage(), BudgetUse { total_bytes: 4, ..BudgetUse::default() });
}

#[test]
fn small_requests_meet_nobody() {
    let budget = budget(STEP);
    let _large = query(&budget, STEP);
    assert_eq!(budget.usage().used_bytes, STEP);
    let small = budget.share();
    small.hold(FREE);
    small.settle(NEVER).unwrap();
    assert!(!small.is_short() && budget.usage().waiting == 0);
}

#[test]
fn who_finds_no_room_waits_for_its_turn() {
    let budget = budget(4 * STEP);
    let (first, second) = (query(&budget, 4 * STEP), query(&budget, STEP));
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| second.settle(NEVER));
        wait_until(|| budget.usage().waiting == 1);
        assert!(!waits.is_finished());
        drop(first);
        waits.join().unwrap().unwrap();
    });
    assert_eq!(budget.usage().refused, 0);
}

#[test]
fn a_large_one_is_not_overtaken_by_small_ones_that_come_later() {
    let budget = budget(8);
    let (early, large, small, query) = (budget.body(), budget.body(), budget.body(), budget.share());
    assert!(served(&early.ask(4)));
    let large_waits = large.ask(6);
    let small_waits = small.ask(1);
    query.hold(FREE + 1);
    assert!(large_waits.look().is_none() && small_waits.look().is_none() && query.is_short());
    drop(early);
    // Whoever looks first.
    assert!(served(&small_waits), "there is room for both");
    assert!(served(&large_waits));
    drop(large_waits);
    drop(large);
    query.settle(NEVER).unwrap();
}

#[test]
fn who_has_waited_for_longest_has_what_comes_free() {
    let budget = budget(8);
    let (early, first, second) = (budget.body(), budget.body(), budget.body());
    assert!(served(&early.ask(8)));
    let (first_waits, second_waits) = (first.ask(8), second.ask(1));
    drop(early);
    assert!(second_waits.look().is_none());
    assert!(served(&first_waits));
    drop((first_waits, first));
    assert!(served(&second_waits));
}

#[test]
fn who_waits_in_vain_is_told_that_others_have_the_room() {
    let budget = Budget::new(STEP, Duration::from_millis(1));
    let (_first, second) = (query(&budget, STEP), query(&budget, 1));
    let refused = second.settle(NEVER).unwrap_err();
    assert!(refused.code == ErrorCode::MemoryBusy && refused.retryable());
    assert_eq!(budget.usage().refused, 1);
    // Called off, it just ends.
    second.settle(|| true).unwrap();
}

#[test]
fn of_those_that_wait_for_each_other_the_youngest_gives_up() {
    let budget = budget(4 * STEP);
    let [oldest, youngest] = [(); 2].map(|()| query(&budget, 2 * STEP));
    [&oldest, &youngest].iter().for_each(|share| share.hold(STEP));
    std::thread::scope(|scope| {
        let oldest = scope.spawn(move || oldest.settle(NEVER).map(|()| oldest));
        let youngest = scope.spawn(move || youngest.settle(NEVER));
        assert_eq!(youngest.join().unwrap().unwrap_err().code, ErrorCode::MemoryBusy);
        oldest.join().unwrap().unwrap();
    });
}

#[test]
fn of_bodies_that_wait_for_each_other_the_oldest_goes_on() {
    let budget = budget(6);
    let shares = [(); 3].map(|()| budget.body());
    for share in &shares {
        assert!(served(&share.ask(2)));
    }
    let [oldest, middle, youngest] = shares.map(|share| (share.ask(2), share));
    assert!(oldest.0.look().is_none() && middle.0.look().is_none());
    assert_eq!(code(youngest.0.look()), Some(ErrorCode::MemoryBusy));
    // Its bytes come back first.
    assert!(middle.0.look().is_none() && oldest.0.look().is_none());
    drop(youngest);
    assert!(middle.0.look().is_none(), "what came back is the oldest one's");
    assert!(served(&oldest.0));
    drop(oldest);
    assert!(served(&middle.0));
    assert_eq!(budget.usage().refused, 1);
}

#[test]
fn while_one_that_holds_something_is_at_work_nobody_gives_up() {
    let budget = budget(4 * STEP);
    let [works, first, second] = [2, 1, 1].map(|steps| query(&budget, steps * STEP));
    let newcomer = budget.body();
    // Of two threads one waits, and the other may find that less is wanted.
    let members = [works.member(), works.member()];
    works.hold(STEP);
    [&first, &second].iter().for_each(|share| share.hold(STEP));
    let waits = [&works, &first, &second].map(|share| share.ask(0));
    let newcomer_waits = newcomer.ask(1);
    assert!(waits.iter().chain([&newcomer_waits]).all(|wait| wait.look().is_none()));
    let [one_left, gone] = members;
    drop(gone);
    assert!(waits[0].look().is_none());
    assert_eq!(code(waits[2].look()), Some(ErrorCode::MemoryBusy), "all wait now, and it is the youngest that holds something");
    assert!(newcomer_waits.look().is_none(), "it is in nobody's way");
    drop(one_left);
}

#[test]
fn when_patience_is_over_the_youngest_that_waits_gives_up_for_the_oldest() {
    let budget = Budget::new(4, Duration::ZERO);
    let (paused, older, younger) = (budget.body(), budget.body(), budget.body());
    assert!(served(&paused.ask(1)) && served(&older.ask(2)) && served(&younger.ask(1)));
    let (older_waits, younger_waits) = (older.ask(1), younger.ask(1));
    assert!(older_waits.look().is_none());
    assert_eq!(code(younger_waits.look()), Some(ErrorCode::MemoryBusy));
    drop((younger_waits, younger));
    assert!(served(&older_waits));
    assert_eq!(budget.usage().refused, 1);
}

#[test]
fn those_that_say_what_they_come_to_begin_one_behind_the_other() {
    let budget = budget(8 * STEP);
    let shares = [(); 3].map(|()| budget.share());
    for share in &shares {
        share.claim(7 * STEP);
        share.hold(FREE + STEP);
    }
    let [first, second, third] = shares;
    assert!(!first.is_short() && second.is_short() && third.is_short());
    let (second_waits, third_waits) = (second.ask(0), third.ask(0));
    let body = budget.body();
    assert!(served(&body.ask(STEP)), "they are in nobody's way");
    drop(body);
    first.hold(6 * STEP);
    first.settle(NEVER).unwrap();
    assert!(second_waits.look().is_none() && third_waits.look().is_none());
    drop(first);
    assert!(served(&second_waits) && third_waits.look().is_none());
    drop((second_waits, second));
    assert!(served(&third_waits));
    assert_eq!(budget.usage().refused, 0);
}

#[test]
fn what_is_likely_delays_and_refuses_nobody() {
    let budget = Budget::new(8 * STEP, Duration::ZERO);
    let shares = [(); 2].map(|()| budget.share());
    for share in &shares {
        share.claim(8 * STEP);
        share.hold(FREE + STEP);
    }
    let [first, second] = shares;
    assert!(!first.is_short() && second.is_short());
    second.settle(NEVER).unwrap();
}
