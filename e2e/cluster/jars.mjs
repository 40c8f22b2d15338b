// The jars of Cassandra from Maven Central, in a cache of the user: fetched once, each checked against the digest in
// artifacts.json.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { SetupError } from '../../server/setup.mjs'

const central = 'https://repo1.maven.org/maven2'
const AT_ONCE = 8
const PATIENCE_MS = 60_000
const TRIES = 3

/** @type {{ version: string, jars: Record<string, string> }} digests are SHA-256, by path in the repository */
const artifacts = JSON.parse(readFileSync(new URL('artifacts.json', import.meta.url), 'utf8'))

export const { version } = artifacts

/** Where jars stay between runs. */
function cache() {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  return join(base, 'tessera', `cassandra-${version}`)
}

/**
 * Fetches what is missing. Answers the paths of all jars.
 * @param {(line: string) => void} say @returns {Promise<string[]>}
 * @throws {SetupError} if one cannot be fetched, or is another file
 */
export async function fetchJars(say) {
  const directory = cache()
  const paths = Object.keys(artifacts.jars)
  const missing = paths.filter((path) => !existsSync(join(directory, path)))
  if (missing.length > 0) say(`Fetching ${missing.length} of ${paths.length} jars of Cassandra ${version}`)
  const rest = [...missing]
  const work = async () => {
    for (let path = rest.pop(); path !== undefined; path = rest.pop()) await fetchJar(directory, path)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return paths.map((path) => join(directory, path))
}

/** @param {string} directory @param {string} path */
async function fetchJar(directory, path) {
  const bytes = await download(path)
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== artifacts.jars[path]) {
    throw new SetupError(`${path} from Maven Central is another file than the one that is known (SHA-256 ${found}).`)
  }
  const target = join(directory, path)
  mkdirSync(dirname(target), { recursive: true })
  // A run that ends half-way leaves no half jar.
  const partial = `${target}.${process.pid}`
  writeFileSync(partial, bytes)
  renameSync(partial, target)
}

/** @param {string} path @returns {Promise<Uint8Array>} */
async function download(path) {
  for (let tried = 1; ; tried += 1) {
    try {
      const answer = await fetch(`${central}/${path}`, { signal: AbortSignal.timeout(PATIENCE_MS) })
      if (!answer.ok) throw new Error(`status ${answer.status}`)
      return new Uint8Array(await answer.arrayBuffer())
    } catch (error) {
      if (tried < TRIES) continue
      const reason = error instanceof Error ? error.message : String(error)
      throw new SetupError(`${path} cannot be fetched from Maven Central (${reason}). Check the network and try again.`)
    }
  }
}
