/** Whether tests that take minutes run too. `npm run test:long` asks for them. */
export const isLong = process.env['TESSERA_LONG'] === 'all'
