// What the records of a set look like, from a sample of them.
import { type Static, Type } from 'typebox'
import { setProfile } from '../examples/profiles.js'
import { bytes, count, flag, milliseconds, number, seconds, text, timestamp } from '../quantities.js'
import { choice, SetChoice } from '../words.js'

export const SAMPLE_DEFAULT = 1000
export const SAMPLE_MOST = 10_000

const sample = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: SAMPLE_MOST,
    description: `About so many records are read, 1 to ${SAMPLE_MOST}. A set with fewer records is read whole. Default: ${SAMPLE_DEFAULT}.`,
    examples: [1000],
  }),
)
const seed = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The same seed takes the same records; another one takes others. Default: 0.',
    examples: [7],
  }),
)

export const ProfileQuery = Type.Object({ sample, seed }, { additionalProperties: false })
export const NamespaceProfileQuery = Type.Object(
  { sample, seed, set: Type.Optional(SetChoice) },
  { additionalProperties: false },
)
export type NamespaceProfileQuery = Static<typeof NamespaceProfileQuery>

const share = (what: string) => Type.Number({ minimum: 0, maximum: 1, description: `${what}, from 0 to 1.` })

const Buckets = (what: string) =>
  Type.Array(
    Type.Object({
      from: number('Lower edge, inclusive.'),
      to: Type.Optional(number('Upper edge, exclusive; inclusive in the last bucket. Unset: no upper edge.')),
      count: count('How many are in the bucket.'),
    }),
    { description: what },
  )

const Estimate = (what: string) =>
  Type.Object(
    {
      about: count('The estimate.'),
      from: count('Probably at least so many.'),
      to: count('Probably at most so many.'),
    },
    { description: what },
  )

const ValueShown = {
  json: text('The value as JSON, so that a number keeps every digit. At most the first 64 characters.'),
  cut: flag('True if this is only the beginning of the value.'),
}

const values = {
  records: count('Records of the sample that have it, null included.'),
  share: share('Their share of the sample'),
  nulls: count('How many of its values are null.'),
  types: Type.Array(
    Type.Object({
      type: choice(['null', 'boolean', 'integer', 'double', 'string', 'bytes', 'list', 'map'], {
        description: 'Type of the values.',
      }),
      count: count('Values of this type.'),
      share: share('Their share of the values'),
    }),
    { description: 'The types of its values, most frequent first.' },
  ),
  distinct: Type.Object(
    {
      sample: count('Different values in the sample, null excluded.'),
      atLeast: flag('True if there are more in the sample than could be counted.'),
      set: Estimate('Different values in the whole set, estimated from the sample.'),
    },
    { description: 'How many different values there are.' },
  ),
  equal: Estimate(
    'Records of the whole set that a test for one of these values finds, estimated from the sample: from the rarest value of ' +
      'the sample to the most frequent one.',
  ),
  numbers: Type.Optional(
    Type.Object(
      { least: text('The least, with every digit.'), greatest: text('The greatest, with every digit.') },
      { description: 'Its numbers. Unset: it has none.' },
    ),
  ),
  strings: Type.Optional(
    Type.Object(
      { least: text('The first in order.'), greatest: text('The last in order.') },
      { description: 'Its strings, the first 64 characters of each. Unset: it has none.' },
    ),
  ),
  lengths: Type.Optional(
    Type.Object(
      { least: count('The shortest.'), greatest: count('The longest.'), mean: number('The mean.') },
      { description: 'Lengths: characters of strings, bytes of bytes, items of lists, keys of maps.' },
    ),
  ),
  top: Type.Array(Type.Object({ ...ValueShown, count: count('Values.'), share: share('Their share of the values') }), {
    maxItems: 10,
    description: 'Its most frequent values, most frequent first. Values that came once are left out.',
  }),
  histogram: Type.Optional(
    Type.Object(
      {
        of: choice(['value', 'length'], { description: 'Whether numbers are counted, or lengths.' }),
        buckets: Buckets('Buckets of equal width.'),
      },
      { description: 'How its first 512 numbers are spread, or else its first 512 lengths.' },
    ),
  ),
  example: Type.Optional(Type.Object(ValueShown, { description: 'One of its values.' })),
}

export const PathProfile = Type.Object(
  {
    path: text('The path below the bin, as a filter takes it. `[*]` stands for each item of a list.'),
    depth: Type.Integer({ minimum: 1, description: 'Number of its steps.' }),
    indexable: flag('True if a range index can have this path.'),
    ...values,
  },
  { title: 'PathProfile', description: 'The values at one path inside a bin.' },
)
export type PathProfile = Static<typeof PathProfile>

export const BinProfile = Type.Object(
  {
    name: text('Name of the bin.'),
    ...values,
    sizes: Buckets('Sizes of its values as JSON, in bytes.'),
    meanBytes: number('Mean size of its values as JSON, in bytes.'),
    paths: Type.Array(PathProfile, {
      description: 'Paths inside its lists and maps, at most 100, at most 6 steps deep.',
    }),
    otherPaths: count('Values at paths that are not listed.'),
  },
  { title: 'BinProfile', description: 'One bin of the sampled records.' },
)
export type BinProfile = Static<typeof BinProfile>

export const SetProfile = Type.Object(
  {
    namespace: text('Name of the namespace.'),
    set: Type.Optional(text('Name of the set. Empty: records without a set. Unset: all records.')),
    at: timestamp('When the sample was taken'),
    sample: Type.Object(
      {
        method: choice(['all', 'share', 'first'], {
          description:
            '`all`: every record was read. `share`: a uniform random share, chosen by a hash of the digest. `first`: ' +
            'the first records that the engine found, because nobody knows how many there are.',
        }),
        share: Type.Optional(share('With `share`: the share that was asked for')),
        seed: Type.Optional(count('With `share`: the seed.')),
        records: count('Records of the sample.'),
        of: count('Records that there are. On a cluster about so many.'),
        damaged: count('Records of the sample that cannot be read. They are not in the figures.'),
        tooLarge: count('Records whose JSON is longer than 1 MiB. Their bins are not in the figures.'),
        stopped: Type.Optional(
          choice(['records', 'bytes', 'time'], {
            description:
              'The bound that ended the reading early: twice the wanted records, 64 MiB, or 10 seconds. The sample is then ' +
              'not uniform. Unset: it is whole.',
          }),
        ),
        bytes: bytes('JSON of the records that were read'),
        elapsedMs: milliseconds('Time that it took'),
      },
      { description: 'Which records were read.' },
    ),
    bins: Type.Array(BinProfile, { description: 'The bins by name, at most 1,000.' }),
    otherBins: count('Values of bins that are not listed, because there are more than 1,000.'),
    sizes: Buckets('Sizes of the sampled records as stored, in bytes.'),
    lives: Type.Object(
      {
        never: count('Records that never expire.'),
        buckets: Type.Array(
          Type.Object({
            from: seconds('Lower edge, inclusive'),
            to: Type.Optional(seconds('Upper edge, exclusive', 'Unset: no upper edge.')),
            count: count('Records in the bucket.'),
          }),
          { description: 'The others, by the time that they have left.' },
        ),
      },
      { description: 'When the sampled records expire.' },
    ),
  },
  { title: 'SetProfile', description: 'What the records of a set look like, from a sample.', examples: [setProfile] },
)
export type SetProfile = Static<typeof SetProfile>
