use super::*;
use crate::paged::cells;
use crate::paged::segment::bodies;

const BODY: usize = 1000;
const MIB: u64 = 1024 * 1024;

fn size(bytes: u32) -> PageSize {
    PageSize::new(bytes).unwrap()
}

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Where the `n`th record lies in pages that are full of such records.
fn place(own: PageSize, n: u64, body: usize) -> Place {
    let per_page = cells::per_page(own.bytes(), bodies::shape(own.bytes(), body).0) as u64;
    Place { page: PageId((n / per_page) as u32), cell: (n % per_page) as u16, bytes: bodies::put_bytes(body) }
}

/// Records drawn with probability as 1 by their rank to the power of 0.99, the ranks spread over the records.
fn zipfian(records: u64, seed: u64) -> impl FnMut() -> u64 {
    let mut random = Random(seed);
    let mut sums = vec![];
    let mut sum = 0.0;
    for rank in 1..=records {
        sum += 1.0 / (rank as f64).powf(0.99);
        sums.push(sum);
    }
    let mut ranks: Vec<u64> = (0..records).collect();
    (1..ranks.len()).rev().for_each(|at| ranks.swap(at, random.below(at as u64 + 1) as usize));
    move || {
        let drawn = random.part() * sum;
        ranks[sums.partition_point(|below| *below < drawn).min(ranks.len() - 1)]
    }
}

/// Misses a read of a cache of the whole size that sees every read: of the second half of so many.
fn direct(page: u32, cache: u64, own: PageSize, reads: usize, next: &mut dyn FnMut() -> u64) -> f64 {
    let layout = Layout::new(own.bytes(), page as usize, std::iter::once(bodies::body_bytes(place(own, 0, BODY))));
    let mut simulated = SimulatedCache::new((cache / u64::from(page)) as u32);
    let mut misses = 0;
    for read in 0..reads {
        let place = place(own, next(), BODY);
        layout.visit(place, place.page.0, &mut |page| misses += usize::from(!simulated.ask(page) && read >= reads / 2));
    }
    misses as f64 / (reads - reads / 2) as f64
}

#[test]
fn a_sample_says_of_every_size_what_all_reads_say() {
    let (own, cache, records) = (size(16_384), 64 * MIB, 250_000);
    for seed in [7, 8, 9] {
        let sampler = Sampler::new(own, cache);
        assert_eq!(1 << sampler.rate_bits, 8);
        let mut next = zipfian(records, seed);
        (0..1_000_000).for_each(|_| sampler.note(place(own, next(), BODY).location()));
        let told = sampler.what_if(cache);
        assert!(told.samples <= SAMPLES as u64 && told.samples > 40_000, "{told:?}");
        for found in &told.sizes {
            let right = direct(found.page_bytes, cache, own, 1_000_000, &mut zipfian(records, seed));
            assert!((found.misses_per_read / right - 1.0).abs() < 0.07, "seed {seed}: {found:?}, not {right}");
        }
    }
}

#[test]
fn with_far_too_little_memory_every_size_misses_and_larger_ones_read_more() {
    let (own, cache, records) = (size(4096), 16 * MIB, 3_000_000);
    let (sampler, mut random) = (Sampler::new(own, cache), Random(1));
    (0..200_000).for_each(|_| sampler.note(place(own, random.below(records), BODY).location()));
    let sizes = sampler.what_if(cache).sizes;
    assert_eq!(sizes.iter().map(|size| size.page_bytes).collect::<Vec<_>>(), SIZES);
    assert!(sizes.iter().all(|size| (0.95..1.05).contains(&size.misses_per_read)), "{sizes:?}");
    assert!(sizes.is_sorted_by(|a, b| a.read_bytes_per_read * 1.8 < b.read_bytes_per_read), "{sizes:?}");
}

#[test]
fn what_fits_misses_nothing() {
    let (own, cache) = (size(16_384), 64 * MIB);
    let (sampler, mut random) = (Sampler::new(own, cache), Random(2));
    (0..400_000).for_each(|_| sampler.note(place(own, random.below(30_000), BODY).location()));
    assert!(sampler.what_if(cache).sizes.iter().all(|size| size.misses_per_read == 0.0));
}

#[test]
fn too_few_samples_say_nothing() {
    let sampler = Sampler::new(size(4096), 8 * MIB);
    let none = sampler.what_if(8 * MIB);
    assert!((none.samples, none.samples_needed, none.sizes.len()) == (0, 16_384, 0) && none.since_ms > 0, "{none:?}");
    (0..16_383).for_each(|n| sampler.note(place(size(4096), n, BODY).location()));
    assert_eq!((sampler.what_if(8 * MIB).samples, sampler.what_if(8 * MIB).sizes.len()), (16_383, 0));
    sampler.note(place(size(4096), 0, BODY).location());
    assert_eq!((sampler.what_if(8 * MIB).samples, sampler.what_if(8 * MIB).sizes.len()), (16_384, 5));
}

#[test]
fn a_region_is_watched_whole_and_one_of_so_many_is() {
    let sampler = Sampler::new(size(4096), 1 << 30);
    assert_eq!(1 << sampler.rate_bits, 128);
    for group in 0..100u32 {
        let watched: Vec<_> = (group * 128 * 16..(group + 1) * 128 * 16).filter(|page| sampler.watches(PageId(*page))).collect();
        assert!(watched.len() == 16 && watched[0].is_multiple_of(16) && watched[15] == watched[0] + 15, "{watched:?}");
    }
}

#[test]
fn many_threads_and_reads_need_no_more_memory_and_long_records_no_more_work() {
    let (own, cache) = (size(4096), 8 * MIB);
    let sampler = Sampler::new(own, cache);
    let heap = sampler.heap_bytes();
    assert!(heap < 520 * 1024);
    let body = tessera_base::limits::RECORD_BYTES_MAX;
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let sampler = &sampler;
            scope.spawn(move || (0..50_000).for_each(|n| sampler.note(place(own, n * 4 + thread, body).location())));
        }
    });
    assert_eq!((sampler.reads.read(), sampler.taken.load(Relaxed), sampler.heap_bytes()), (200_000, 200_000, heap));
    let window = sampler.window();
    assert!(window.places.len() <= SAMPLES && window.places.iter().all(Option::is_some));
    let layout = Layout::new(4096, 4096, std::iter::once(body));
    let simulated: usize = window.places[window.first(layout)..].iter().flatten().map(|place| layout.visits(*place)).sum();
    assert!(simulated <= VISITS_MOST, "{simulated}");
    let sizes = sampler.what_if(cache).sizes;
    assert!(sizes.iter().all(|size| size.read_bytes_per_read > 0.9 * body as f64), "{sizes:?}");
}

#[test]
fn an_answer_stands_until_there_is_more_to_say() {
    let (own, cache) = (size(4096), 8 * MIB);
    let (sampler, mut random) = (Sampler::new(own, cache), Random(3));
    let mut read = |times| (0..times).for_each(|_| sampler.note(place(own, random.below(100_000), BODY).location()));
    read(20_000);
    let first = sampler.what_if(cache);
    read(MARK - 1);
    assert_eq!(sampler.what_if(cache), first);
    read(1);
    assert_eq!(sampler.what_if(cache).samples, first.samples + MARK as u64);
}

/// Bodies of a namespace with short and long records.
const MIXED: [usize; 6] = [180, 340, 740, 1240, 2540, 5040];
const MIXED_RECORDS: u64 = 40_000;

/// Where records lie that were written one after the other: each in the first of a few open pages that has room, and the parts of a
/// long one in the pages behind.
fn written(page_bytes: usize) -> Vec<Place> {
    let (mut open, mut next): (Vec<(u32, usize, u16)>, _) = (vec![], 1);
    let place = |record: u64| {
        let body = MIXED[record as usize % MIXED.len()];
        let (cell, parts) = bodies::shape(page_bytes, body);
        let needed = cell + cells::ENTRY;
        let at = open.iter().position(|(_, room, _)| *room >= needed).unwrap_or_else(|| {
            open.push((next, cells::whole_room(page_bytes), 0));
            next += 1;
            if open.len() > 4 {
                open.remove(0);
            }
            open.len() - 1
        });
        let (page, room, cells) = &mut open[at];
        (*room, *cells) = (*room - needed, *cells + 1);
        next += parts as u32;
        Place { page: PageId(*page), cell: *cells - 1, bytes: bodies::put_bytes(body) }
    };
    (0..MIXED_RECORDS).map(place).collect()
}

/// A fifth of the records take four fifths of the reads, and lie among the others.
fn mostly_a_fifth(seed: u64) -> impl FnMut() -> usize {
    let mut random = Random(seed);
    move || {
        let among = if random.below(5) < 4 { MIXED_RECORDS / 5 } else { MIXED_RECORDS };
        (random.below(among) * 7919 % MIXED_RECORDS) as usize
    }
}

#[test]
fn long_and_short_records_cost_what_they_do_in_pages_of_each_size() {
    const READS: usize = 240_000;
    let cache = 16 * MIB;
    let places: Vec<(u32, Vec<Place>)> = [4096, 8192, 16_384].map(|bytes| (bytes, written(bytes as usize))).into();
    let costs = places.iter().map(|(bytes, places)| {
        let (mut simulated, mut next, mut misses) = (SimulatedCache::new((cache / u64::from(*bytes)) as u32), mostly_a_fifth(1), 0);
        for read in 0..READS {
            let record = next();
            let parts = bodies::shape(*bytes as usize, MIXED[record % MIXED.len()]).1 as u64;
            let pages =
                std::iter::once(u64::from(places[record].page.0)).chain((0..parts).map(|part| 1 << 63 | (record as u64) << 8 | part));
            misses += pages.filter(|page| !simulated.ask(*page) && read >= READS / 2).count();
        }
        (*bytes, misses as f64 / (READS / 2) as f64)
    });
    let costs: Vec<(u32, f64)> = costs.collect();
    for (own, places) in &places {
        let (sampler, mut next) = (Sampler::new(size(*own), cache), mostly_a_fifth(2));
        (0..READS).for_each(|_| sampler.note(places[next()].location()));
        let told = sampler.what_if(cache).sizes;
        for (bytes, right) in &costs {
            let found = told.iter().find(|size| size.page_bytes == *bytes).unwrap();
            assert!((found.misses_per_read / right - 1.0).abs() < 0.1, "with pages of {own}: {found:?}, not {right}");
        }
    }
}
