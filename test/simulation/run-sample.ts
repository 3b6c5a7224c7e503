import { installVirtualGlobals } from './virtual-globals.ts';

installVirtualGlobals();
// An import declaration would be evaluated before the line above.
await import('./sample.ts');
