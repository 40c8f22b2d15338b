/** The few icons of the console, drawn on a 16-unit grid. */
export const paths = {
  bell: 'M4 11.5V7a4 4 0 0 1 8 0v4.5l1 1H3zM6.5 14h3M8 3V1.8',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'M4 4l8 8M12 4l-8 8',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5 14 14',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8 13 13M3 13l1.2-1.2M11.8 4.2 13 3',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z',
  language:
    'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c-2.2 1.7-3.2 3.7-3.2 6s1 4.300 3.2 6c2.200-1.7 3.200-3.700 3.200-6S10.200 3.700 8 2z',
  auto: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 2v12M8 5h3.5M8 8h5.5M8 11h4.2',
  copy: 'M6 6V3.5A1.5 1.5 0 0 1 7.5 2h5A1.5 1.5 0 0 1 14 3.5v5A1.5 1.5 0 0 1 12.5 10H10M3.5 6h5A1.5 1.5 0 0 1 10 7.5v5A1.5 1.5 0 0 1 8.5 14h-5A1.5 1.5 0 0 1 2 12.5v-5A1.5 1.5 0 0 1 3.5 6z',
  pause: 'M5.5 3v10M10.5 3v10',
  play: 'M5 3l8 5-8 5z',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  left: 'M10 4L6 8l4 4',
  right: 'M6 4l4 4-4 4',
  pin: 'M6 2.5h4M7 2.5v4L4.5 9h7L9 6.5v-4M8 9v4.5',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  up: 'M4 10l4-4 4 4',
  down: 'M4 6l4 4 4-4',
  help: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.2 6.2a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.6-.8 1.2M8 11.3v.1',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 8.5h6l.5-8.5',
} as const

export type IconName = keyof typeof paths
