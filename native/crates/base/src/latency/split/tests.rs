use super::*;

fn spin(nanos: u64) {
    let begun = Clock::now();
    while Clock::nanos_since(begun) < nanos {
        std::hint::spin_loop();
    }
}

#[test]
fn a_wait_counts_for_the_operation_that_is_open() {
    drop(wait(Part::Queue));
    let operation = open();
    assert_eq!(operation.waited(), Split::default(), "what was before is not its own");
    waited(Part::Device, 5);
    {
        let inner = open();
        assert!(!inner.outermost());
        waited(Part::Queue, 7);
    }
    assert!(is_open(), "the part has not ended the whole");
    assert_eq!((operation.waited().of(Part::Device), operation.waited().of(Part::Queue)), (5, 7));
    drop(operation);
    assert!(!is_open());
}

#[test]
fn a_wait_inside_a_wait_counts_once() {
    let operation = open();
    let begun = Clock::now();
    {
        let _outer = wait(Part::Queue);
        {
            let _inner = wait(Part::Device);
            spin(1000);
        }
        waited(Part::Device, u64::MAX / 2);
    }
    let whole = Clock::nanos_since(begun);
    assert_eq!(operation.waited().of(Part::Device), 0);
    assert!((1000..=whole).contains(&operation.waited().of(Part::Queue)));
}

#[test]
fn without_an_operation_the_last_wait_is_known_alone() {
    drop(wait(Part::Queue));
    let begun = Clock::now();
    assert_eq!(last_wait(begun), Split::default());
    spin(100);
    {
        let _wait = wait(Part::Queue);
        spin(1000);
    }
    let last = last_wait(begun);
    assert!(last.of(Part::Queue) >= 1000 && last.total() == last.of(Part::Queue));
    let _operation = open();
    assert_eq!(last_wait(begun), Split::default(), "an open operation has its own");
}

#[test]
fn what_lies_around_the_steps_is_decoding_and_the_reply() {
    let operation = open();
    let ticks = [(); 6].map(|()| {
        spin(2000);
        Clock::now()
    });
    step(ticks[1], ticks[2]);
    step(ticks[3], ticks[4]);
    let split = operation.split(ticks[0], ticks[5]);
    assert_eq!(split.of(Part::Decode), ticks[0].nanos_until(ticks[1]));
    assert_eq!(split.of(Part::Reply), ticks[4].nanos_until(ticks[5]));
}

#[test]
fn an_arrival_is_taken_once_and_goes_with_its_request() {
    let at = Clock::now();
    let request = arrive(at);
    assert!(arrived().is_some_and(|arrived| arrived.at == at && arrived.taken >= at));
    assert_eq!(open().arrived(), Some(at));
    assert_eq!(open().arrived(), None);
    drop(request);
    drop(arrive(at));
    assert_eq!(arrived(), None);
}

#[test]
fn parts_always_add_up() {
    let mut seed = 7_u64;
    let mut random = |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 20) % (most + 1)
    };
    for _ in 0..10_000 {
        let mut split = Split::default();
        for part in [Part::Queue, Part::Index, Part::Device, Part::Decode, Part::Reply] {
            let most = 1 << random(43);
            split.add(part, random(most));
        }
        let total = random(1 << 40);
        let filled = split.fill(total);
        assert_eq!(filled.total(), total, "{split:?}");
        let others = split.total() - split.of(Part::Index);
        if others <= total {
            assert_eq!(filled.of(Part::Index), total - others);
            assert_eq!(filled.of(Part::Device), split.of(Part::Device));
        }
    }
}
