/** `3 s`, `4 min`, `2 h 5 min`, `2 h`, `3 days`: as precise as an operator needs. */
export function durationText(secs: number): string {
  if (secs < 60) return `${Math.round(secs)} s`;
  if (secs < 3_600) return `${Math.floor(secs / 60)} min`;
  const minutes = Math.floor((secs % 3_600) / 60);
  if (secs < 2 * 86_400) return `${Math.floor(secs / 3_600)} h${minutes === 0 ? '' : ` ${minutes} min`}`;
  return `${Math.floor(secs / 86_400)} days`;
}
