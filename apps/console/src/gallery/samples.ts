export const NOW = Date.UTC(2026, 10, 29);
export const LONG = 'Orchard and Vale Museums Trust of the North-East, '.repeat(4);
/** Names as they come: of 200 characters with and without a space, of other scripts and directions, and hostile ones. */
export const NAMES = [
  LONG.slice(0, 200),
  'x'.repeat(200),
  'صوت الراوي الهادئ',
  'Łódź, Müller è ß',
  '<img src=x>',
  `e${'\u0301'.repeat(150)}`,
];
/** Zero, one, many. */
export const COUNTS = [0, 1, 1_204_000];
