import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Reads whole numbers by name. Ends the process for `--help`, and with the usage for anything it does not know. */
export function readOptions<Name extends string>(
  defaults: Record<Name, number>,
  usage: string,
): Record<Name, number> {
  const options: ParseArgsConfig['options'] = { help: { type: 'boolean' } };
  for (const name of Object.keys(defaults)) options[name] = { type: 'string' };
  try {
    const { values } = parseArgs({ options });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const read = Object.entries<number>(defaults).map(([name, fallback]) => {
      const value = Number(values[name] ?? fallback);
      if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} must be a whole number`);
      return [name, value];
    });
    return Object.fromEntries(read) as Record<Name, number>;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}
