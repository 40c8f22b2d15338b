import { type Static, Type } from 'typebox'
import { capacityPlan } from '../examples/status.js'
import { bytes, number } from '../quantities.js'
import { choice } from '../words.js'

const optional = (most: number, description: string, least = 0) =>
  Type.Optional(Type.Integer({ minimum: least, maximum: most, description }))

const BinForm = Type.Object(
  {
    type: choice(['boolean', 'integer', 'double', 'string', 'bytes', 'list', 'map'], {
      description: 'Type of the value.',
    }),
    nameBytes: optional(255, 'Length of the bin name, in bytes. Default: 8.', 1),
    bytes: optional(
      8 * 1024 * 1024,
      'Length of the value, in bytes; for a list or map, the encoded length of its items. Ignored for numbers and booleans.',
    ),
  },
  { title: 'BinForm', description: 'The shape of one bin.', additionalProperties: false },
)

export const CapacityQuery = Type.Object(
  {
    engine: choice(['memory', 'device'], { description: 'Storage engine to plan for.' }),
    records: Type.Integer({ minimum: 1, maximum: 1e12, description: 'Records, not counting their copies.' }),
    key: Type.Optional(
      Type.Object(
        {
          type: choice(['integer', 'string', 'bytes'], { description: 'Type of the key.' }),
          bytes: optional(8192, 'Length of the key, in bytes. An integer always has 8.', 1),
        },
        { additionalProperties: false, description: 'Shape of the keys. Default: integers.' },
      ),
    ),
    bins: Type.Array(BinForm, { maxItems: 4096, description: 'The bins of every record.' }),
    singleBin: Type.Optional(
      Type.Boolean({ description: 'One bin per record, stored without its name. Default: false.' }),
    ),
    sets: optional(65_534, 'Sets that share the records. 0: records without a set. Default: 1.'),
    setNameBytes: optional(63, 'Length of a set name, in bytes. Default: 8.', 1),
    setIndexes: Type.Optional(Type.Boolean({ description: 'Switch the set indexes on. Default: false.' })),
    segments: optional(4096, 'Segments, a power of two. Default: 256.', 1),
    replication: optional(8, 'Copies of each record. Default: 1.', 1),
    readsPerSecond: optional(1e9, 'Reads of single records per second. Default: 0.'),
    writesPerSecond: optional(1e9, 'Writes of single records per second. Default: 0.'),
    utilisationPercent: optional(99, 'Share of the flash that live records may fill, in percent. Default: 80.', 1),
    writeBlockBytes: optional(
      8 * 1024 * 1024,
      'Size of a write block, in bytes: a power of two from 16 KiB. Default: 128 KiB.',
      16 * 1024,
    ),
  },
  {
    title: 'CapacityQuery',
    description: 'The shape and load of the records to plan for.',
    additionalProperties: false,
    examples: [
      {
        engine: 'device',
        records: 1_000_000_000,
        key: { type: 'string', bytes: 24 },
        bins: [{ type: 'map', nameBytes: 7, bytes: 900 }],
        replication: 2,
        readsPerSecond: 200_000,
        writesPerSecond: 20_000,
      },
    ],
  },
)
export type CapacityQuery = Static<typeof CapacityQuery>

const perRecord = number('Bytes per record, for one copy.')

export const CapacityPlan = Type.Object(
  {
    record: Type.Object(
      {
        header: bytes('Header of the engine'),
        setName: bytes('Name of the set'),
        key: bytes('Key with its type and length'),
        binNames: bytes('Bin names with their lengths'),
        binValues: bytes('Bin values'),
        padding: bytes('Padding to the next storage unit'),
        stored: bytes('Whole record as stored'),
      },
      { description: 'Size of one stored record, by part.' },
    ),
    dram: Type.Object(
      {
        records: bytes('Record bodies', '0 for engine `device`.'),
        primaryIndex: bytes('Primary index'),
        setIndexes: bytes('Set indexes'),
        sets: bytes('Names and counters of sets'),
        buffers: bytes('Write blocks that wait for the device'),
        total: bytes('Sum of all parts'),
        perRecord,
      },
      { description: 'Memory for all copies, by part.' },
    ),
    flash: Type.Optional(
      Type.Object(
        {
          live: bytes('Records with their headers'),
          blocks: bytes('Write blocks that hold them'),
          total: bytes('Flash to provide, so that live records fill `utilisationPercent` of it'),
          perRecord,
        },
        { description: 'Flash for all copies. Only for engine `device`.' },
      ),
    ),
    device: Type.Optional(
      Type.Object(
        {
          writeAmplification: number(
            'Bytes written per byte stored, for uniformly random updates and greedy collection (Desnoyers 2012).',
          ),
          readIops: number('Reads per second: of records, and of blocks that are rewritten.'),
          writeIops: number('Writes of blocks per second.'),
          readBytesPerSecond: number('Read throughput, in bytes per second.'),
          writeBytesPerSecond: number('Write throughput, in bytes per second.'),
        },
        { description: 'Load on all devices together. Only for engine `device`.' },
      ),
    ),
  },
  {
    title: 'CapacityPlan',
    description: 'Estimated size and load of a namespace.',
    examples: [capacityPlan],
  },
)
export type CapacityPlan = Static<typeof CapacityPlan>
