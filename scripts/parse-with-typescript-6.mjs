// Loaded before dependency-cruiser, which reads TypeScript through the compiler's JavaScript API; TypeScript 7
// has none, and version 6 understands the same source.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier.replace(/^typescript(?=$|\/)/, 'typescript-6'), context),
});
