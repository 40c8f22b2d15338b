/** Whether the cases run that only repeat another one, or take minutes. `npm run test:long` asks for them. */
export const isLong = process.env['TESSERA_LONG'] === 'all'
