import { type Static, Type } from 'typebox'
import { Bytes } from './quantities.js'
import { choice } from './words.js'

const count = (most: number, description: string, least = 0) =>
  Type.Optional(Type.Integer({ minimum: least, maximum: most, description }))

const BinForm = Type.Object(
  {
    type: choice(['boolean', 'integer', 'double', 'string', 'bytes', 'list', 'map']),
    nameBytes: count(255, "bytes of the bin's name; 8 unless given", 1),
    bytes: count(8 * 1024 * 1024, "bytes of the value; of a list or map its items' encoded bytes; unused for numbers"),
  },
  { title: 'BinForm', additionalProperties: false },
)

export const CapacityQuery = Type.Object(
  {
    engine: choice(['memory', 'device']),
    records: Type.Integer({ minimum: 1, maximum: 1e12, description: 'records, without their copies' }),
    key: Type.Optional(
      Type.Object(
        {
          type: choice(['integer', 'string', 'bytes']),
          bytes: count(8192, 'bytes of the key; an integer has 8', 1),
        },
        { additionalProperties: false, description: 'an integer unless given' },
      ),
    ),
    bins: Type.Array(BinForm, { maxItems: 4096, description: 'the bins that every record has' }),
    singleBin: Type.Optional(Type.Boolean({ description: 'one bin, stored without its name' })),
    sets: count(65_534, 'sets that the records are spread over; 0 = without a set; 1 unless given'),
    setNameBytes: count(63, "bytes of a set's name; 8 unless given", 1),
    setIndexes: Type.Optional(Type.Boolean({ description: 'whether the set indexes are on' })),
    segments: count(4096, 'a power of two; 256 unless given', 1),
    replication: count(8, 'copies of each record; 1 unless given', 1),
    readsPerSecond: count(1e9, 'reads of single records'),
    writesPerSecond: count(1e9, 'writes of single records'),
    utilisationPercent: count(99, 'share of the flash that live records take; 80 unless given', 1),
    writeBlockBytes: count(8 * 1024 * 1024, 'a power of two from 16 KiB; 128 KiB unless given', 16 * 1024),
  },
  {
    title: 'CapacityQuery',
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

export const CapacityPlan = Type.Object(
  {
    record: Type.Object(
      {
        header: { ...Bytes, description: "the engine's own header" },
        setName: Bytes,
        key: { ...Bytes, description: 'with its type and length' },
        binNames: { ...Bytes, description: 'with their lengths' },
        binValues: Bytes,
        padding: Bytes,
        stored: { ...Bytes, description: 'all of it' },
      },
      { description: 'bytes of one record, where it is stored' },
    ),
    dram: Type.Object(
      {
        records: { ...Bytes, description: 'engine memory only' },
        primaryIndex: Bytes,
        setIndexes: Bytes,
        sets: { ...Bytes, description: 'names and counters' },
        buffers: { ...Bytes, description: 'write blocks on their way' },
        total: Bytes,
        perRecord: Type.Number({ description: 'of one copy' }),
      },
      { description: 'bytes of memory, of all copies' },
    ),
    flash: Type.Optional(
      Type.Object(
        {
          live: { ...Bytes, description: 'records with their headers' },
          blocks: { ...Bytes, description: 'the write blocks that they fill' },
          total: { ...Bytes, description: 'so that live records take the share asked for' },
          perRecord: Type.Number({ description: 'of one copy' }),
        },
        { description: 'engine device only: bytes of flash, of all copies' },
      ),
    ),
    device: Type.Optional(
      Type.Object(
        {
          writeAmplification: Type.Number({
            description:
              'bytes written for each byte stored, under uniformly random updates and greedy collection (Desnoyers 2012)',
          }),
          readIops: Type.Number({ description: 'reads of records and of blocks that are rewritten' }),
          writeIops: Type.Number({ description: 'write blocks' }),
          readBytesPerSecond: Type.Number(),
          writeBytesPerSecond: Type.Number(),
        },
        { description: 'engine device only: what all devices do together' },
      ),
    ),
  },
  { title: 'CapacityPlan' },
)
export type CapacityPlan = Static<typeof CapacityPlan>
