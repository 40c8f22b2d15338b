// Run by `npm run audit:verify`: verifies the audit log of a data directory. It needs the built gateway, and no engine.
const { command } = await import(new URL('dist/audit/command.js', import.meta.url).href)

process.exitCode = await command(process.argv.slice(2), (/** @type {string} */ line) =>
  process.stdout.write(`${line}\n`),
)
