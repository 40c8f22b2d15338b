// `tessera`: the command line. docs/cli.md describes it.
import { CommanderError } from 'commander'
import { readFileSync } from 'node:fs'
import { ConfigError, readConfig } from '../config.js'
import { CliFailure, exits, inputFailure } from './failure.js'
import { tell } from './output.js'
import { everyCommand, programOf } from './program.js'

/** Runs a command and resolves with the exit status. Standard output has the result, standard error what went wrong. */
export async function runCommand(args: readonly string[]): Promise<number> {
  // A reader such as `head` has enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : exits.failed))
  const json = args.includes('--json')
  try {
    if (args[0] === 'start' && !args.includes('--help') && !args.includes('-h')) return await start(args.slice(1))
    const program = programOf(versionOf())
    // A program gets the failure of commander as JSON, below.
    if (json) for (const command of everyCommand(program)) command.configureOutput({ writeErr: () => undefined })
    await program.parseAsync([...args], { from: 'user' })
    return 0
  } catch (error) {
    return exitOf(error, json)
  }
}

/** The server reads its flags and handles signals itself, in this process. Wrong ones have the status of the command line. */
async function start(flags: readonly string[]): Promise<number> {
  readConfig(flags, process.env)
  process.argv = [process.execPath, 'tessera', ...flags]
  await import('../server.js')
  return 0
}

function exitOf(error: unknown, json: boolean): number {
  // Commander has said it, or shown its help.
  if (error instanceof CommanderError && (error.exitCode === 0 || !json)) return error.exitCode === 0 ? 0 : exits.usage
  const { code, exit, message } = failureFacts(error)
  if (json) process.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`)
  // Settings at fault are one a line. A server has one line.
  else if (error instanceof ConfigError) for (const line of `${code}: ${message}`.split('\n')) tell(line)
  else tell(`${code}: ${message.replaceAll('\n', String.raw`\n`)}`)
  return exit
}

function failureFacts(error: unknown): { code: string; exit: number; message: string } {
  if (error instanceof CliFailure) return error
  if (error instanceof CommanderError) return inputFailure(usageOf(error))
  const { message } = error as Error
  if (error instanceof ConfigError) return { code: 'config_invalid', exit: exits.usage, message }
  return { code: 'failed', exit: exits.failed, message }
}

/** Commander shows its help if a command is missing. */
function usageOf({ code, message }: CommanderError): string {
  return code === 'commander.help'
    ? 'a command is missing; --help shows what there is'
    : message.replace(/^error: /, '')
}

function versionOf(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
