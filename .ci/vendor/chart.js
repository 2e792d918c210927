export { BarController, BarElement, CategoryScale, Chart, LinearScale, Tooltip } from "chart.js";
