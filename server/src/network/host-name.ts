// The name by which a request calls the server.

/** `host`: of the header. Without its port, in small letters. */
export const nameOf = (host: string | undefined): string => (host ?? '').replace(/:\d*$/, '').toLowerCase()
