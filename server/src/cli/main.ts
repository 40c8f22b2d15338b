// `tessera`: the command line. docs/cli.md describes it.
import { CommanderError } from 'commander'
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config.js'
import { CliFailure, exits } from './failure.js'
import { printable, tell } from './output.js'
import { programOf } from './program.js'

/** Runs a command and resolves with the exit status. Standard output has the result, standard error what went wrong. */
export async function runCommand(args: readonly string[]): Promise<number> {
  // A reader such as `head` has enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : exits.failed))
  if (args[0] === 'start' && !args.includes('--help') && !args.includes('-h')) return start(args.slice(1))
  try {
    await programOf(versionOf()).parseAsync([...args], { from: 'user' })
    return 0
  } catch (error) {
    return exitOf(error, args.includes('--json'))
  }
}

/** The server reads its flags and handles signals itself, in this process. */
async function start(flags: readonly string[]): Promise<number> {
  process.argv = [process.execPath, 'tessera', ...flags]
  await import('../server.js')
  return 0
}

function exitOf(error: unknown, json: boolean): number {
  // Commander has said it, or shown its help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exits.usage
  const [code, exit] = failureFacts(error)
  const { message } = error as Error
  if (json) process.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`)
  else for (const [at, line] of message.split('\n').entries()) tell(at === 0 ? `${code}: ${printable(line)}` : line)
  return exit
}

function failureFacts(error: unknown): [code: string, exit: number] {
  if (error instanceof CliFailure) return [error.code, error.exit]
  return error instanceof ConfigError ? ['config_invalid', exits.usage] : ['failed', exits.failed]
}

function versionOf(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
