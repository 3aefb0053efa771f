// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ContractWallet} from "./ContractWallet.sol";
import {VaultTest} from "./VaultTest.sol";

/// Measures the gas of each call for the benchmark. With forge's --isolate, that is the gas of a whole
/// transaction by an account that has used the vault before.
contract VaultGasTest is VaultTest {
    function test_gas() public {
        address token = address(usdg);
        depositAs(player, ETH, 10 ether);
        depositAs(player, token, 10e6);
        fundAs(player, ETH, 10 ether);
        withdrawAs(player, playerKey, ETH, 1);

        depositAs(player, ETH, 1 ether);
        tell("deposit ETH");
        depositAs(player, token, 1e6);
        tell("deposit USDG");
        (uint8 v, bytes32 r, bytes32 s) = permit(1e6);
        vm.prank(player);
        vault.depositWithPermit(token, 1e6, block.timestamp, v, r, s);
        tell("deposit USDG with permit");
        fundAs(player, ETH, 1 ether);
        tell("fund ETH");
        withdrawAs(player, playerKey, ETH, 1 ether);
        tell("withdraw ETH");
        withdrawAs(player, playerKey, token, 1e6);
        tell("withdraw USDG");
        ContractWallet wallet = new ContractWallet(player);
        withdrawAs(address(wallet), playerKey, ETH, 1 ether);
        tell("withdraw ETH, new contract wallet");
        vm.prank(relayer);
        vault.burnNonce(player, 3);
        tell("burn a nonce");
        vm.prank(relayer);
        vault.recordHouseResult(ETH, 1);
        tell("record the house's result, first");
        vm.prank(owner);
        vault.withdrawHouse(ETH, 1 ether, owner);
        tell("withdraw the house's ETH, first");
    }

    function tell(string memory call) private {
        emit log_named_uint(call, vm.lastCallGas().gasTotalUsed);
    }
}
