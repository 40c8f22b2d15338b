/** Path below which browsers reach the server, such as `/tessera`; empty: the root. The server writes it into the page. */
export const basePath = typeof document === 'undefined' ? '' : (document.documentElement.dataset['base'] ?? '')

/** The address of a path of the server, such as `/docs`, for links and for calls. */
export const here = (path: string): string => basePath + path

/** The path of the server that an address of this page has. */
export const withoutBase = (pathname: string): string =>
  basePath !== '' && `${pathname}/`.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) || '/' : pathname
