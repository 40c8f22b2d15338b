// The entry: checks what must be there before anything else is loaded, and tells failures of the start.
import { ConfigError } from './config.js'
import { isErrorCode } from './error-table.js'
import { checkOpenFiles } from './files/open-files.js'

/** One line for what a person can mend; the whole error for what nobody expected. */
function explain(error: unknown): unknown {
  if (error instanceof ConfigError) return error.message
  const { code, message, port, syscall } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') return `port ${port} is in use; choose another with --port`
  // A file that may not be read or written: Node's message names it.
  if (syscall !== undefined && code !== undefined) return message
  return isErrorCode(code) ? `${code}: ${message}` : error
}

try {
  checkOpenFiles()
  const { main } = await import('./main.js')
  await main(process.argv.slice(2))
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
