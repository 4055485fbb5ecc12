import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import type { Figures } from './callers.ts';

/** Prints figures as they come, and keeps them for the JSON at the end. */
export function startReport(name: string) {
  const results: Record<string, Figures> = {};
  return {
    heading(text: string): void {
      console.log(`\n${text}`);
    },

    async measure(what: string, run: () => Promise<Figures>): Promise<Figures> {
      const figures = await run();
      results[what] = figures;
      const { perSecond, p50, p99, failed } = figures;
      const latency = `p50 ${p50.toFixed(1).padStart(6)} ms   p99 ${p99.toFixed(1).padStart(6)} ms`;
      const failures = failed > 0 ? `   ${failed} FAILED` : '';
      console.log(`  ${what.padEnd(32)} ${perSecond.toFixed(0).padStart(6)}/s   ${latency}${failures}`);
      return figures;
    },

    ratio(text: string, value: number): void {
      console.log(`${' '.repeat(34)} ${value.toFixed(2)} × ${text}`);
    },

    async write(): Promise<void> {
      const machine = { cpus: cpus().length, model: cpus()[0]?.model, node: process.version };
      const file = `bench/results/${name}.json`;
      await mkdir('bench/results', { recursive: true });
      await writeFile(
        file,
        `${JSON.stringify({ at: new Date().toISOString(), machine, results }, null, 2)}\n`,
      );
      console.log(`\nWritten to ${file}`);
    },
  };
}
