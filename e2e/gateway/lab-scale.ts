/** The scale at which goals let experiments of the lab end. `smoke` proves their logic; `quick` is what users run. */
export const scale = process.env['TESSERA_LAB_SCALE'] ?? 'smoke'

/** What is expected at `smoke`, or at `quick`. */
export const byScale = <T>(smoke: T, quick: T): T => (scale === 'smoke' ? smoke : quick)
