// Asks a node one question, over version 4 of the native protocol of Cassandra
// (https://github.com/apache/cassandra/blob/trunk/doc/native_protocol_v4.spec). A start has to
// know no more, and tests remove what they have made.
import { connect } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

const STARTUP = 0x01
const QUERY = 0x07
const AUTH_RESPONSE = 0x0f
const READY = 0x02
const AUTHENTICATE = 0x03
const AUTH_SUCCESS = 0x10
const RESULT = 0x08
const ROWS = 2
const CONSISTENCY_ONE = 1
const HEADER = 9
const PATIENCE_MS = 5000
/** An answer to such a question is small; a longer one is of no node. */
const LONGEST = 1 << 20

/**
 * @typedef {{ tls?: import('node:tls').ConnectionOptions, user?: string, password?: string }} Ticket
 *   what a node wants of a client
 * @typedef {Ticket & { patienceMs?: number }} How a node is asked: it has 5 s to answer, or `patienceMs`
 */

/**
 * The addresses that a node knows of the others.
 * @param {string} host @param {number} port @param {Ticket} [ticket] @returns {Promise<number>} how many
 * @throws {Error} if it does not answer in 5 s, or answers an error
 */
export const countPeers = async (host, port, ticket) =>
  rowsIn(await ask(host, port, 'SELECT peer FROM system.peers', ticket))

/**
 * Answers the body of the result.
 * @param {string} host @param {number} port @param {string} text a statement @param {How} [how] @returns {Promise<Buffer>}
 * @throws {Error} if the node does not answer in time, or answers an error
 */
export function ask(host, port, text, { tls, user = '', password = '', patienceMs = PATIENCE_MS } = {}) {
  return new Promise((resolve, reject) => {
    const socket = tls === undefined ? connect({ host, port }) : connectSecurely({ ...tls, host, port })
    /** @param {Error} error */
    const fail = (error) => {
      socket.destroy()
      reject(error)
    }
    let heard = Buffer.alloc(0)
    socket.setTimeout(patienceMs, () => fail(new Error('it does not answer')))
    socket.on('error', fail)
    socket.on('close', () => reject(new Error('it closed the connection')))
    socket.on(tls === undefined ? 'connect' : 'secureConnect', () => socket.write(frame(STARTUP, startup())))
    socket.on('data', (chunk) => {
      heard = Buffer.concat([heard, chunk])
      if (heard.length < HEADER) return
      const length = heard.readUInt32BE(5)
      if (length > LONGEST) return fail(new Error('it speaks another protocol'))
      if (heard.length < HEADER + length) return
      const [opcode, body] = [heard[4], heard.subarray(HEADER, HEADER + length)]
      heard = heard.subarray(HEADER + length)
      if (opcode === AUTHENTICATE) {
        socket.write(frame(AUTH_RESPONSE, longBytes(`\0${user}\0${password}`)))
      } else if (opcode === READY || opcode === AUTH_SUCCESS) {
        socket.write(frame(QUERY, query(text)))
      } else if (opcode === RESULT) {
        resolve(body)
        socket.end()
      } else {
        fail(new Error(`it answers opcode ${opcode}`))
      }
    })
  })
}

/** @param {number} opcode @param {Buffer} body */
function frame(opcode, body) {
  const header = Buffer.from([0x04, 0, 0, 0, opcode, 0, 0, 0, 0])
  header.writeUInt32BE(body.length, 5)
  return Buffer.concat([header, body])
}

/** @param {string} text */
function shortString(text) {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

const startup = () => Buffer.concat([Buffer.from([0, 1]), shortString('CQL_VERSION'), shortString('3.0.0')])

/** @param {string} text */
function longBytes(text) {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** @param {string} text */
const query = (text) => Buffer.concat([longBytes(text), Buffer.from([0, CONSISTENCY_ONE, 0])])

/**
 * How many rows a result of one column has: its kind, flags, columns, the names of keyspace, table and column, a type
 * without parameters, and then their number.
 * @param {Buffer} body
 */
export function rowsIn(body) {
  if (body.readInt32BE(0) !== ROWS) throw new Error('it answers no rows')
  let at = 12
  for (let name = 0; name < 3; name += 1) at += 2 + body.readUInt16BE(at)
  return body.readInt32BE(at + 2)
}
