// Entry point: checks the prerequisites before it loads anything else, and reports failures of the start.
import './start-clock.js'
import './hangup.js'
import { ConfigError } from './config.js'
import { isErrorCode } from './error-table.js'
import { checkOpenFiles } from './files/open-files.js'

/** One line for an error that a person can fix; the whole error otherwise. */
function explain(error: unknown): unknown {
  if (error instanceof ConfigError) return error.message
  const { code, message, port, syscall } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') return `port ${port} is in use; choose another: npm start -- --port 8080`
  // Node's message names the file that cannot be read or written.
  if (syscall !== undefined && code !== undefined) return message
  if (code === 'data_directory_locked')
    return `${code}: ${message}; end it, or choose another: npm start -- --data other`
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
