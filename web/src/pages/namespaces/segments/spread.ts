export interface Spread {
  least: number
  most: number
  mean: number
  deviation: number
}

/** How evenly values are spread; zeros for none. */
export function spread(values: readonly number[]): Spread {
  if (values.length === 0) return { least: 0, most: 0, mean: 0, deviation: 0 }
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
  return { least: Math.min(...values), most: Math.max(...values), mean, deviation: Math.sqrt(variance) }
}
