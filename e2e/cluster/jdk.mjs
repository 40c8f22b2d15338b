// Which Java runs Cassandra: 17, from JAVA_HOME or from the path.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { SetupError } from '../../server/setup.mjs'

const WANTED = 17

/** The `java` of version 17. @returns {string} @throws {SetupError} if there is none */
export function findJava() {
  const home = process.env['JAVA_HOME']
  const places = home === undefined ? ['java'] : [join(home, 'bin/java'), 'java']
  const found = places.map((java) => ({ java, major: majorOf(java) }))
  const right = found.find(({ major }) => major === WANTED)
  if (right !== undefined) return right.java
  const other = found.find(({ major }) => major !== undefined)
  const there = other === undefined ? 'none was found' : `found ${other.major}`
  throw new SetupError(`Cassandra needs Java ${WANTED}; ${there}. Install a JDK ${WANTED} and set JAVA_HOME.`)
}

/** @param {string} java */
function majorOf(java) {
  const { stderr, status } = spawnSync(java, ['-version'], { encoding: 'utf8' })
  return status === 0 ? parseMajor(stderr) : undefined
}

/** The major version in what `java -version` prints; 8 for 1.8. @param {string} text @returns {number | undefined} */
export function parseMajor(text) {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(text) ?? []
  if (first === undefined) return undefined
  return Number(first === '1' ? second : first)
}
