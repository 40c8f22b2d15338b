import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What a verb of the clone runs: a program in the folder `TESSERA_PROGRAMS` if that is set, as its release build takes a minute. */
export function verb(name: string, program: string): string {
  const built = process.env['TESSERA_PROGRAMS']
  return built === undefined ? `cd ${root} && npm run --silent ${name} --` : join(built, program)
}
