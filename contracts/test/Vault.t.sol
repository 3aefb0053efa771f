// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {TestUSDG} from "../src/local/TestUSDG.sol";
import {Vault} from "../src/Vault.sol";
import {BatchAccount} from "./BatchAccount.sol";
import {ContractWallet} from "./ContractWallet.sol";
import {VaultTest} from "./VaultTest.sol";

/// A contract wallet that misbehaves while it is being paid.
contract HostileWallet is ContractWallet {
    enum Trouble {
        Reenter,
        Refuse,
        Bomb
    }

    Vault private immutable VAULT;
    Trouble private immutable TROUBLE;
    bytes private call_;
    bool public wasPaid;
    bool public reentered;

    constructor(address signer, Vault vault, Trouble trouble, bytes memory callData) ContractWallet(signer) {
        (VAULT, TROUBLE, call_) = (vault, trouble, callData);
    }

    /// A plain payment calls receive, not fallback.
    receive() external payable override {
        if (TROUBLE == Trouble.Refuse) revert();
        wasPaid = true;
        if (TROUBLE == Trouble.Reenter) (reentered,) = address(VAULT).call{value: 1}(call_);
        if (TROUBLE == Trouble.Bomb) {
            assembly {
                return(0, 100000)
            }
        }
    }
}

/// A contract wallet that reads the vault's books while it is being paid.
contract WatchingWallet is ContractWallet {
    Vault private immutable VAULT;
    uint256 public nonceSeen;
    uint256 public holdingsSeen;

    constructor(address signer, Vault vault) ContractWallet(signer) {
        VAULT = vault;
    }

    receive() external payable override {
        (nonceSeen, holdingsSeen) = (VAULT.nonces(address(this)), VAULT.holdings(address(0)));
    }
}

/// Delivers one unit more than is sent.
contract GenerousToken is ERC20("Generous", "GEN") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _update(address from, address to, uint256 amount) internal override {
        super._update(from, to, amount);
        if (from != address(0)) _mint(to, 1);
    }
}

contract VaultPlayersTest is VaultTest {
    function test_deposits_in_both_tokens_belong_to_the_players() public {
        vm.expectEmit(address(vault));
        emit Vault.Deposited(player, ETH, 1 ether);
        depositAs(player, ETH, 1 ether);
        vm.expectEmit(address(vault));
        emit Vault.Deposited(player, address(usdg), 5e6);
        depositAs(player, address(usdg), 5e6);
        assertEq(vault.playerFunds(ETH), 1 ether);
        assertEq(vault.playerFunds(address(usdg)), 5e6);
        assertEq(vault.houseFunds(ETH), 0);
    }

    function test_a_deposit_must_match_its_amount() public {
        vm.startPrank(player);
        vm.expectRevert(abi.encodeWithSelector(Vault.WrongAmount.selector, 2, 1));
        vault.deposit{value: 1}(ETH, 2);
        vm.expectRevert(abi.encodeWithSelector(Vault.WrongAmount.selector, 0, 1));
        vault.deposit{value: 1}(address(usdg), 5e6);
        vm.expectRevert(Vault.ZeroAmount.selector);
        vault.deposit(ETH, 0);
        vm.expectRevert(abi.encodeWithSelector(Vault.UnknownToken.selector, address(1)));
        vault.deposit(address(1), 1);
        vm.expectRevert();
        payable(address(vault)).transfer(1);
    }

    function test_a_permit_replaces_the_approval_even_if_someone_else_submits_it_first() public {
        vm.prank(player);
        usdg.approve(address(vault), 0);
        (uint8 v, bytes32 r, bytes32 s) = permit(5e6);
        vm.prank(player);
        vault.depositWithPermit(address(usdg), 5e6, block.timestamp, v, r, s);
        (v, r, s) = permit(7e6);
        usdg.permit(player, address(vault), 7e6, block.timestamp, v, r, s);
        vm.prank(player);
        vault.depositWithPermit(address(usdg), 7e6, block.timestamp, v, r, s);
        assertEq(vault.playerFunds(address(usdg)), 12e6);
        vm.expectRevert();
        vault.depositWithPermit(address(usdg), 7e6, block.timestamp, v, r, s);
        vm.expectRevert(abi.encodeWithSelector(Vault.UnknownToken.selector, ETH));
        vault.depositWithPermit(ETH, 7e6, block.timestamp, v, r, s);
    }

    function test_a_signed_withdrawal_is_paid_once() public {
        depositAs(player, ETH, 3 ether);
        bytes memory signature = sign(playerKey, digest(player, ETH, 1 ether, 0));
        uint256 before = player.balance;
        vm.expectEmit(address(vault));
        emit Vault.Withdrawn(player, ETH, 1 ether, 0);
        vm.startPrank(relayer);
        vault.withdraw(player, ETH, 1 ether, 0, signature);
        assertEq(player.balance, before + 1 ether);
        assertEq(vault.nonces(player), 1);
        vm.expectRevert(abi.encodeWithSelector(Vault.WrongNonce.selector, 1));
        vault.withdraw(player, ETH, 1 ether, 0, signature);
        vm.expectRevert(Vault.WrongSignature.selector);
        vault.withdraw(player, ETH, 1 ether, 1, signature);
    }

    function test_a_signed_withdrawal_of_USDG_is_paid() public {
        depositAs(player, address(usdg), 5e6);
        uint256 before = usdg.balanceOf(player);
        withdrawAs(player, playerKey, address(usdg), 5e6);
        assertEq(usdg.balanceOf(player), before + 5e6);
    }

    function test_a_withdrawal_needs_a_known_token_and_an_amount() public {
        depositAs(player, ETH, 1 ether);
        bytes memory unknown = sign(playerKey, digest(player, address(1), 1, 0));
        bytes memory zero = sign(playerKey, digest(player, ETH, 0, 0));
        vm.startPrank(relayer);
        vm.expectRevert(abi.encodeWithSelector(Vault.UnknownToken.selector, address(1)));
        vault.withdraw(player, address(1), 1, 0, unknown);
        vm.expectRevert(Vault.ZeroAmount.selector);
        vault.withdraw(player, ETH, 0, 0, zero);
    }

    function test_only_the_relayer_pays_and_burns() public {
        depositAs(player, ETH, 1 ether);
        bytes memory signature = sign(playerKey, digest(player, ETH, 1 ether, 0));
        for (uint256 i = 0; i < 2; i++) {
            vm.startPrank(i == 0 ? player : owner);
            vm.expectRevert(Vault.NotRelayer.selector);
            vault.withdraw(player, ETH, 1 ether, 0, signature);
            vm.expectRevert(Vault.NotRelayer.selector);
            vault.burnNonce(player, 0);
            vm.expectRevert(Vault.NotRelayer.selector);
            vault.recordHouseResult(ETH, 1);
            vm.stopPrank();
        }
    }

    function test_a_signature_is_bound_to_chain_vault_player_token_amount_and_nonce() public {
        depositAs(player, ETH, 5 ether);
        depositAs(player, address(usdg), 5e6);
        (, uint256 otherKey) = makeAddrAndKey("other");
        bytes[8] memory signatures = [
            sign(playerKey, digestFor(address(vault), block.chainid + 1, player, ETH, 1 ether, 0)),
            sign(playerKey, digestFor(address(this), block.chainid, player, ETH, 1 ether, 0)),
            sign(playerKey, digest(owner, ETH, 1 ether, 0)),
            sign(playerKey, digest(player, address(usdg), 1 ether, 0)),
            sign(playerKey, digest(player, ETH, 2 ether, 0)),
            sign(playerKey, digest(player, ETH, 1 ether, 1)),
            sign(otherKey, digest(player, ETH, 1 ether, 0)),
            hex"1234"
        ];
        vm.startPrank(relayer);
        for (uint256 i = 0; i < signatures.length; i++) {
            vm.expectRevert(Vault.WrongSignature.selector);
            vault.withdraw(player, ETH, 1 ether, 0, signatures[i]);
        }
    }

    function test_a_malleated_signature_is_refused() public {
        depositAs(player, ETH, 1 ether);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(playerKey, digest(player, ETH, 1 ether, 0));
        uint256 order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        bytes memory high = abi.encodePacked(r, bytes32(order - uint256(s)), v == 27 ? uint8(28) : uint8(27));
        vm.prank(relayer);
        vm.expectRevert(Vault.WrongSignature.selector);
        vault.withdraw(player, ETH, 1 ether, 0, high);
    }

    /// Recovering the signer of an invalid signature returns the zero address.
    function test_an_invalid_signature_does_not_pay_the_zero_address() public {
        depositAs(player, ETH, 1 ether);
        vm.prank(relayer);
        vm.expectRevert(Vault.WrongSignature.selector);
        vault.withdraw(address(0), ETH, 1 ether, 0, new bytes(65));
    }

    function test_contract_wallets_sign_with_ERC_1271() public {
        ContractWallet wallet = new ContractWallet(player);
        vm.deal(address(wallet), 1 ether);
        wallet.deposit(vault, 1 ether);
        vm.prank(relayer);
        vm.expectRevert(Vault.WrongSignature.selector);
        vault.withdraw(address(wallet), ETH, 1 ether, 0, sign(playerKey, digest(player, ETH, 1 ether, 0)));
        withdrawAs(address(wallet), playerKey, ETH, 1 ether);
        assertEq(address(wallet).balance, 1 ether);
    }

    function test_an_account_that_delegates_to_code_signs_with_its_key() public {
        depositAs(player, ETH, 2 ether);
        vm.etch(player, abi.encodePacked(hex"ef0100", address(new BatchAccount())));
        uint256 before = player.balance;
        withdrawAs(player, playerKey, ETH, 1 ether);
        assertEq(player.balance, before + 1 ether);
        (, uint256 otherKey) = makeAddrAndKey("other");
        bytes memory signature = sign(otherKey, digest(player, ETH, 1 ether, 1));
        vm.prank(relayer);
        vm.expectRevert(Vault.WrongSignature.selector);
        vault.withdraw(player, ETH, 1 ether, 1, signature);
    }

    function test_an_account_that_delegates_to_a_contract_wallet_signs_in_either_way() public {
        (address cosigner, uint256 cosignerKey) = makeAddrAndKey("cosigner");
        depositAs(player, ETH, 2 ether);
        vm.etch(player, address(new ContractWallet(cosigner)).code);
        withdrawAs(player, cosignerKey, ETH, 1 ether);
        withdrawAs(player, playerKey, ETH, 1 ether);
        assertEq(vault.nonces(player), 2);
    }

    function hostile(HostileWallet.Trouble trouble, bytes memory callData) private returns (HostileWallet) {
        return new HostileWallet(player, vault, trouble, callData);
    }

    function test_a_reentering_call_during_a_payment_is_refused() public {
        fundAs(player, ETH, 5 ether);
        vm.prank(relayer);
        vault.recordHouseResult(ETH, 0);
        bytes[2] memory calls = [abi.encodeCall(Vault.deposit, (ETH, 1)), abi.encodeCall(Vault.fund, (ETH, 1))];
        for (uint256 i = 0; i < calls.length; i++) {
            HostileWallet wallet = hostile(HostileWallet.Trouble.Reenter, calls[i]);
            withdrawAs(address(wallet), playerKey, ETH, 1 ether);
            assertTrue(wallet.wasPaid());
            assertFalse(wallet.reentered());
            wallet = hostile(HostileWallet.Trouble.Reenter, calls[i]);
            vm.prank(owner);
            vault.withdrawHouse(ETH, 1 ether, address(wallet));
            assertTrue(wallet.wasPaid());
            assertFalse(wallet.reentered());
        }
        assertEq(vault.holdings(ETH), 1 ether);
    }

    function test_a_payment_is_booked_before_its_receiver_is_called() public {
        WatchingWallet wallet = new WatchingWallet(player, vault);
        fundAs(player, ETH, 5 ether);
        withdrawAs(address(wallet), playerKey, ETH, 1 ether);
        assertEq(wallet.nonceSeen(), 1);
        assertEq(wallet.holdingsSeen(), 4 ether);
        vm.prank(relayer);
        vault.recordHouseResult(ETH, 0);
        vm.prank(owner);
        vault.withdrawHouse(ETH, 1 ether, address(wallet));
        assertEq(wallet.holdingsSeen(), 3 ether);
    }

    function test_a_payment_refused_by_its_receiver_leaves_the_nonce_unused() public {
        HostileWallet wallet = hostile(HostileWallet.Trouble.Refuse, "");
        depositAs(player, ETH, 5 ether);
        bytes memory signature = sign(playerKey, digest(address(wallet), ETH, 1 ether, 0));
        vm.prank(relayer);
        vm.expectRevert(Vault.TransferFailed.selector);
        vault.withdraw(address(wallet), ETH, 1 ether, 0, signature);
        assertEq(vault.nonces(address(wallet)), 0);
    }

    /// The data costs the receiver 28,000 gas to produce. Reading it would cost the vault as much again.
    function test_long_return_data_costs_the_relayer_only_the_gas_to_produce_it() public {
        HostileWallet wallet = hostile(HostileWallet.Trouble.Bomb, "");
        depositAs(player, ETH, 5 ether);
        bytes memory signature = sign(playerKey, digest(address(wallet), ETH, 1 ether, 0));
        vm.prank(relayer);
        vault.withdraw{gas: 150_000}(address(wallet), ETH, 1 ether, 0, signature);
        assertEq(address(wallet).balance, 1 ether);
    }

    /// The vault relies on the relayer for who owns the chips: it can't tell a winner from an invented player.
    function test_the_relayers_key_alone_can_empty_the_vault() public {
        depositAs(player, ETH, 10 ether);
        (address invented, uint256 inventedKey) = makeAddrAndKey("nobody who ever played");
        withdrawAs(invented, inventedKey, ETH, 10 ether);
        assertEq(vault.holdings(ETH), 0);
    }

    function test_a_token_that_transfers_less_than_the_amount_is_refused() public {
        vm.mockCall(address(usdg), abi.encodeWithSelector(usdg.transferFrom.selector), abi.encode(true));
        vm.prank(player);
        vm.expectRevert(abi.encodeWithSelector(Vault.WrongAmount.selector, 5e6, 0));
        vault.deposit(address(usdg), 5e6);
    }

    function test_a_token_that_transfers_more_than_the_amount_is_refused() public {
        GenerousToken generous = new GenerousToken();
        vault = new Vault(owner, relayer, generous);
        generous.mint(player, 5e6);
        vm.startPrank(player);
        generous.approve(address(vault), 5e6);
        vm.expectRevert(abi.encodeWithSelector(Vault.WrongAmount.selector, 5e6, 5e6 + 1));
        vault.deposit(address(generous), 5e6);
    }

    function test_a_withdrawal_fails_if_the_token_returns_false() public {
        depositAs(player, address(usdg), 5e6);
        bytes memory signature = sign(playerKey, digest(player, address(usdg), 5e6, 0));
        vm.mockCall(address(usdg), abi.encodeWithSelector(usdg.transfer.selector), abi.encode(false));
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(SafeERC20.SafeERC20FailedOperation.selector, usdg));
        vault.withdraw(player, address(usdg), 5e6, 0, signature);
    }

    function test_a_burned_nonce_is_invalid_and_the_next_one_works() public {
        depositAs(player, ETH, 2 ether);
        bytes memory signature = sign(playerKey, digest(player, ETH, 1 ether, 0));
        vm.prank(owner);
        vault.pause();
        vm.startPrank(relayer);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        vault.withdraw(player, ETH, 1 ether, 0, signature);
        vm.expectEmit(address(vault));
        emit Vault.NonceBurned(player, 0);
        vault.burnNonce(player, 0);
        vm.expectRevert(abi.encodeWithSelector(Vault.WrongNonce.selector, 1));
        vault.burnNonce(player, 0);
        vm.stopPrank();
        vm.prank(owner);
        vault.unpause();
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(Vault.WrongNonce.selector, 1));
        vault.withdraw(player, ETH, 1 ether, 0, signature);
        withdrawAs(player, playerKey, ETH, 1 ether);
    }

    function test_a_paused_or_freezing_token_leaves_the_nonce_unused() public {
        depositAs(player, address(usdg), 5e6);
        bytes memory signature = sign(playerKey, digest(player, address(usdg), 5e6, 0));
        vm.prank(owner);
        usdg.setFrozen(player, true);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(TestUSDG.Frozen.selector, player));
        vault.withdraw(player, address(usdg), 5e6, 0, signature);
        vm.startPrank(owner);
        usdg.setFrozen(player, false);
        usdg.pause();
        vm.stopPrank();
        vm.prank(relayer);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        vault.withdraw(player, address(usdg), 5e6, 0, signature);
        assertEq(vault.nonces(player), 0);
    }

    function test_stray_tokens_are_never_paid_out() public {
        depositAs(player, ETH, 1 ether);
        vm.deal(address(vault), 10 ether);
        bytes memory signature = sign(playerKey, digest(player, ETH, 2 ether, 0));
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(Vault.AboveVault.selector, 1 ether));
        vault.withdraw(player, ETH, 2 ether, 0, signature);
        assertEq(vault.houseFunds(ETH), 0);
    }

    function testFuzz_every_deposit_can_be_withdrawn(uint96 deposited, uint96 withdrawn) public {
        vm.assume(deposited > 0 && withdrawn > 0);
        vm.deal(player, deposited);
        depositAs(player, ETH, deposited);
        bytes memory signature = sign(playerKey, digest(player, ETH, withdrawn, 0));
        vm.prank(relayer);
        if (withdrawn > deposited) vm.expectRevert(abi.encodeWithSelector(Vault.AboveVault.selector, deposited));
        vault.withdraw(player, ETH, withdrawn, 0, signature);
        uint256 paid = withdrawn > deposited ? 0 : withdrawn;
        assertEq(address(vault).balance, deposited - paid);
        assertEq(vault.playerFunds(ETH), deposited - paid);
    }
}
