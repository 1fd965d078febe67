/** An entry of an allow-list in a text that people have written, with what they have noted beside it. */
interface WrittenEntry {
  address: string;
  note: string | null;
}

/**
 * Takes a text apart into the entries of an allow-list: separated by line breaks, commas, semicolons or white space; `#`
 * begins a note, which goes to the end of the line and belongs to every entry of the line. A line of nothing but a note is
 * dropped. Whether the entries are addresses is not looked at.
 */
export function readAllowListText(text: string): WrittenEntry[] {
  return text.split(/\r\n|[\n\r]/).flatMap((line) => {
    const hash = line.indexOf('#');
    const addresses = (hash < 0 ? line : line.slice(0, hash)).split(/[\s,;]+/).filter((word) => word !== '');
    const note = hash < 0 ? null : line.slice(hash + 1).trim() || null;
    return addresses.map((address) => ({ address, note }));
  });
}
