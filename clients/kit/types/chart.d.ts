// What the clients use of vendor/chart.js.
export class Chart {
  static register(...components: unknown[]): void;
  static readonly defaults: any;
  constructor(canvas: HTMLCanvasElement, config: any);
  data: any;
  options: any;
  readonly chartArea: { left: number; right: number; top: number; bottom: number };
  update(mode?: string): void;
  resize(): void;
  destroy(): void;
  setActiveElements(elements: { datasetIndex: number; index: number }[]): void;
  getDatasetMeta(index: number): { data: { x: number; y: number }[] };
  readonly tooltip?: {
    setActiveElements(elements: { datasetIndex: number; index: number }[], at: { x: number; y: number }): void;
  };
}
export const BarController: unknown;
export const BarElement: unknown;
export const CategoryScale: unknown;
export const LinearScale: unknown;
export const LineController: unknown;
export const LineElement: unknown;
export const PointElement: unknown;
export const Filler: unknown;
export const Tooltip: unknown;
export const Legend: unknown;
