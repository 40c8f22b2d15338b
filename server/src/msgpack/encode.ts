// Answers that frame records, as JSON or as MessagePack. Records themselves come written from the core.

export type Wire = 'json' | 'msgpack'

/** A value that is already encoded in the format of the answer. */
export class Written {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/** Writes a value; members that are undefined are left out. */
export function encode(wire: Wire, value: unknown): Buffer {
  const out: Buffer[] = []
  if (wire === 'msgpack') pack(value, out)
  else write(value, out)
  return Buffer.concat(out)
}

const members = (value: object): [string, unknown][] => Object.entries(value).filter(([, of]) => of !== undefined)

function write(value: unknown, out: Buffer[]): void {
  if (value instanceof Written) {
    out.push(value.bytes)
  } else if (Array.isArray(value)) {
    value.forEach((item, at) => {
      out.push(Buffer.from(at === 0 ? '[' : ','))
      write(item, out)
    })
    out.push(Buffer.from(value.length === 0 ? '[]' : ']'))
  } else if (typeof value === 'object' && value !== null) {
    const of = members(value)
    for (const [at, [name, member]] of of.entries()) {
      out.push(Buffer.from(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`))
      write(member, out)
    }
    out.push(Buffer.from(of.length === 0 ? '{}' : '}'))
  } else {
    out.push(Buffer.from(typeof value === 'bigint' ? value.toString() : JSON.stringify(value)))
  }
}

function pack(value: unknown, out: Buffer[]): void {
  if (value instanceof Written) out.push(value.bytes)
  else if (value === null) out.push(Buffer.from([0xc0]))
  else if (typeof value === 'boolean') out.push(Buffer.from([value ? 0xc3 : 0xc2]))
  else if (typeof value === 'string') packText(value, out)
  else if (typeof value === 'number' || typeof value === 'bigint') out.push(packNumber(value))
  else if (Array.isArray(value)) {
    out.push(listHead(value.length))
    for (const item of value) pack(item, out)
  } else {
    const of = members(value as object)
    out.push(countedHead(of.length, 0x80, 0xde))
    for (const [name, member] of of) {
      packText(name, out)
      pack(member, out)
    }
  }
}

/** The head of a list of so many items. */
export const listHead = (items: number): Buffer => countedHead(items, 0x90, 0xdc)

/** The head of a list or a map: `fix` for up to 15 items, `marker` and the next one for more. */
export function countedHead(count: number, fix: number, marker: number): Buffer {
  if (count < 16) return Buffer.from([fix | count])
  const head = Buffer.alloc(count < 0x10000 ? 3 : 5)
  head.writeUInt8(count < 0x10000 ? marker : marker + 1)
  head.writeUIntBE(count, 1, head.length - 1)
  return head
}

function packText(text: string, out: Buffer[]): void {
  const bytes = Buffer.from(text)
  out.push(textHead(bytes.length), bytes)
}

/** The head of a text of so many bytes. */
export const textHead = (length: number): Buffer => (length < 32 ? Buffer.from([0xa0 | length]) : sized(length, 0xd9))

/** The head of bytes. */
export const bytesHead = (length: number): Buffer => sized(length, 0xc4)

/** A marker for a length of one byte, or one of those after it, and the length. */
function sized(length: number, marker: number): Buffer {
  const width = length < 0x100 ? 1 : length < 0x10000 ? 2 : 4
  const head = Buffer.alloc(1 + width)
  head.writeUInt8(marker + { 1: 0, 2: 1, 4: 2 }[width])
  head.writeUIntBE(length, 1, width)
  return head
}

export function packDouble(value: number): Buffer {
  const bytes = Buffer.alloc(9)
  bytes.writeUInt8(0xcb)
  bytes.writeDoubleBE(value, 1)
  return bytes
}

export function packNumber(value: number | bigint): Buffer {
  if (typeof value === 'number' && !Number.isInteger(value)) return packDouble(value)
  const bytes = Buffer.alloc(9)
  if (value >= 0 && value < 128) return Buffer.from([Number(value)])
  if (value >= -(2 ** 31) && value < 2 ** 31) {
    bytes.writeUInt8(0xd2)
    bytes.writeInt32BE(Number(value), 1)
    return bytes.subarray(0, 5)
  }
  bytes.writeUInt8(0xd3)
  bytes.writeBigInt64BE(BigInt(value), 1)
  return bytes
}
